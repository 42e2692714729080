package io.holdfast.testsupport;

import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtensionConfigurationException;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.platform.commons.support.AnnotationSupport;

import java.lang.reflect.AnnotatedElement;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * Skips a test whose {@link NeedsProgram} names a missing program, or fails it where CI requires
 * that program.
 */
final class ProgramCondition implements ExecutionCondition {
    private static final String REQUIRE = "require";

    @Override
    public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
        return context.getElement()
                .map(
                        element ->
                                evaluate(
                                        element, program -> program.find().isPresent(), required()))
                .orElseGet(() -> ConditionEvaluationResult.enabled("neither class nor method"));
    }

    static ConditionEvaluationResult evaluate(
            AnnotatedElement element, Predicate<Program> present, Set<Program> required) {
        Set<Program> missing =
                AnnotationSupport.findAnnotation(element, NeedsProgram.class)
                        .map(needs -> EnumSet.copyOf(Arrays.asList(needs.value())))
                        .orElseGet(() -> EnumSet.noneOf(Program.class));
        missing.removeIf(present);
        if (missing.isEmpty()) {
            return ConditionEvaluationResult.enabled("needs no program that is missing");
        }
        Set<Program> violated = EnumSet.copyOf(missing);
        violated.retainAll(required);
        if (!violated.isEmpty()) {
            throw new ExtensionConfigurationException(
                    "-D" + REQUIRE + " names " + list(violated) + ", but PATH has no usable one");
        }
        return ConditionEvaluationResult.disabled("needs " + list(missing));
    }

    /** What {@code -Drequire} names. */
    static Set<Program> required() {
        return required(System.getProperty(REQUIRE, ""));
    }

    static Set<Program> required(String names) {
        Set<Program> programs = EnumSet.noneOf(Program.class);
        for (String name : names.split(",", -1)) {
            if (name.isBlank()) {
                continue;
            }
            try {
                programs.add(Program.valueOf(name.strip().toUpperCase(Locale.ROOT)));
            } catch (IllegalArgumentException e) {
                throw new ExtensionConfigurationException(
                        "-D%s names '%s', but knows only %s"
                                .formatted(REQUIRE, name, list(EnumSet.allOf(Program.class))),
                        e);
            }
        }
        return programs;
    }

    private static String list(Set<Program> programs) {
        return programs.stream().map(Program::toString).collect(Collectors.joining(" and "));
    }
}
