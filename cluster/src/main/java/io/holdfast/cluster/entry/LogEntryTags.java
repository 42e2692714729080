package io.holdfast.cluster.entry;

/**
 * The tags of the encoding. They are in logs on disks: a tag keeps its meaning for as long as a
 * version that has it can be read.
 */
final class LogEntryTags {
    static final int CREATE_CLUSTER = 1;
    static final int CHANGE_SETTINGS = 2;
    static final int BEGIN_INCARNATION = 3;
    static final int BATCH = 4;
    static final int END_INCARNATION = 5;
    static final int TICK = 6;
    static final int COLLECT = 7;
    static final int ENTRY_BATCH = 8;
    static final int CHECK_STATE = 9;
    static final int RAISE_VERSION = 10;
    static final int ANNOUNCE = 11;

    /** The byte after the version of an entry of the trial version. */
    static final int TRIAL = 0x7E;

    static final int REGISTER_SESSION = 1;
    static final int END_SESSION = 2;
    static final int LISTEN = 3;
    static final int UNLISTEN = 4;
    static final int EMIT = 5;

    /** As {@link #REGISTER_SESSION}, of a session that has several requests in flight. */
    static final int INTRODUCE_CONCURRENT = 6;

    /** Commands share the number range of the items. */
    static final int ACQUIRE = 16;

    static final int ENQUEUE = 17;
    static final int AWAIT = 18;
    static final int RELEASE = 19;
    static final int RENEW = 20;
    static final int TRY_ACQUIRE = 21;
    static final int RELEASE_BY_SESSION = 22;
    static final int INSPECT = 23;
    static final int FORCE_RELEASE = 24;
    static final int CANCEL = 25;
    static final int REQUEST_OFFER = 26;
    static final int CONFIRM = 27;
    static final int DECLINE = 28;
    static final int CANCEL_OR_RELEASE = 29;
    static final int QUERY_STATUS = 30;
    static final int SUSPEND = 31;
    static final int RESUME = 32;
    static final int REASSERT = 33;

    /** Data operations share the number range of the commands. */
    static final int INCREMENT = 64;

    static final int DECREMENT = 65;
    static final int GET_COUNTER = 66;
    static final int SET_COUNTER = 67;
    static final int SET_VALUE = 68;
    static final int GET_VALUE = 69;
    static final int DELETE_VALUE = 70;
    static final int PUSH = 71;
    static final int POP = 72;
    static final int LENGTH = 73;
    static final int RANGE = 74;

    static final int LOCK = 0;
    static final int SEMAPHORE = 1;
    static final int SHARED = 2;

    static final int READ = 0;
    static final int WRITE = 1;

    static final int FRONT = 0;
    static final int BACK = 1;

    static final int FIFO = 0;
    static final int READER_PREFERRED = 1;
    static final int WRITER_PREFERRED = 2;

    /** Bits of hold attributes. */
    static final int ATTRIBUTES_WRITE = 1;

    static final int ATTRIBUTES_BOUND = 2;
    static final int ATTRIBUTES_TRACKED = 4;

    private LogEntryTags() {}
}
