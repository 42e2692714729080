package io.holdfast.server;

import java.lang.management.ManagementFactory;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import javax.management.ObjectName;

/** Counts live objects in the heap. */
public final class LiveObjects {
    private LiveObjects() {}

    /** The number of live instances of a class. */
    public static long of(String type) throws Exception {
        String histogram =
                (String)
                        ManagementFactory.getPlatformMBeanServer()
                                .invoke(
                                        new ObjectName("com.sun.management:type=DiagnosticCommand"),
                                        "gcClassHistogram",
                                        new Object[] {new String[0]},
                                        new String[] {String[].class.getName()});
        Matcher line =
                Pattern.compile(
                                "^ *\\d+: +(\\d+) +\\d+ +" + Pattern.quote(type) + "( |$)",
                                Pattern.MULTILINE)
                        .matcher(histogram);
        return line.find() ? Long.parseLong(line.group(1)) : 0;
    }
}
