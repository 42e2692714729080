package io.holdfast.driver;

import io.holdfast.engine.Command;

/** A session of the local driver. Its lock is taken before that of a shard, never after. */
final class LocalSession implements Session {
    private final long id;
    private final Mailbox mailbox;
    private final LocalDriver driver;

    /** Bit i: this session may have something in shard i. */
    private long touched;

    private boolean closed;

    LocalSession(long id, Mailbox mailbox, LocalDriver driver) {
        this.id = id;
        this.mailbox = mailbox;
        this.driver = driver;
    }

    @Override
    public long id() {
        return id;
    }

    Mailbox mailbox() {
        return mailbox;
    }

    @Override
    public synchronized void submit(Command.Keyed command) {
        if (closed) {
            return;
        }
        int shard = driver.shardOf(command);
        if (command instanceof Command.Locking) { // data belongs to no session
            touched |= 1L << shard;
        }
        driver.shard(shard).apply(command, this);
    }

    @Override
    public synchronized boolean isHolding() {
        for (int i = 0; i < LocalDriver.SHARDS; i++) {
            if ((touched & 1L << i) != 0 && driver.shard(i).hasHolds(id)) {
                return true;
            }
        }
        return false;
    }

    @Override
    public synchronized void close(long lastAnswered) {
        if (closed) {
            return;
        }
        closed = true;
        Command command = new Command.CloseSession(id, lastAnswered);
        for (int i = 0; i < LocalDriver.SHARDS; i++) {
            if ((touched & 1L << i) != 0) {
                driver.shard(i).apply(command, this);
            }
        }
        driver.forget(this);
    }
}
