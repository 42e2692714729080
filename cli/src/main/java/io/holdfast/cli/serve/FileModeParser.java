package io.holdfast.cli.serve;

import io.holdfast.driver.config.ConfigException;

import java.nio.file.attribute.PosixFilePermission;
import java.util.EnumSet;
import java.util.Set;

/** Parses the permissions of a file in octal, such as 0660. */
final class FileModeParser {
    private static final PosixFilePermission[] FROM_THE_LEFT = {
        PosixFilePermission.OWNER_READ,
        PosixFilePermission.OWNER_WRITE,
        PosixFilePermission.OWNER_EXECUTE,
        PosixFilePermission.GROUP_READ,
        PosixFilePermission.GROUP_WRITE,
        PosixFilePermission.GROUP_EXECUTE,
        PosixFilePermission.OTHERS_READ,
        PosixFilePermission.OTHERS_WRITE,
        PosixFilePermission.OTHERS_EXECUTE
    };

    private FileModeParser() {}

    /**
     * @param setting name of the setting, for messages
     */
    static Set<PosixFilePermission> parse(String setting, String text) {
        if (!text.matches("0?[0-7]{3}")) {
            throw new ConfigException(
                    setting + " must be three octal digits, as in 0660 (got " + text + ")");
        }
        int bits = Integer.parseInt(text, 8);
        Set<PosixFilePermission> permissions = EnumSet.noneOf(PosixFilePermission.class);
        for (int i = 0; i < FROM_THE_LEFT.length; i++) {
            if ((bits & (0400 >> i)) != 0) {
                permissions.add(FROM_THE_LEFT[i]);
            }
        }
        return permissions;
    }
}
