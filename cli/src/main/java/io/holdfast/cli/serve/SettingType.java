package io.holdfast.cli.serve;

/** The type of a value, with its label in the usage and its description in messages. */
enum SettingType {
    TEXT("TEXT", "a text"),
    COUNT("N", "a whole number"),
    SECONDS("SECONDS", "a whole number of seconds"),
    SWITCH("", "true or false");

    final String label;
    final String description;

    SettingType(String label, String description) {
        this.label = label;
        this.description = description;
    }

    boolean reads(String text) {
        return switch (this) {
            case TEXT -> true;
            case COUNT, SECONDS -> FlagNumbers.parse(text).isPresent();
            case SWITCH -> FlagBooleans.parse(text).isPresent();
        };
    }
}
