package io.holdfast.verification.bench;

/** A worker failed. The message is for the user. */
final class WorkerException extends Exception {
    private static final long serialVersionUID = 1L;

    private final int worker;

    WorkerException(int worker, String message) {
        super(message);
        this.worker = worker;
    }

    int worker() {
        return worker;
    }
}
