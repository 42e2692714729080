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
                                        element,
                                        outsideProgram -> outsideProgram.find().isPresent(),
                                        required()))
                .orElseGet(() -> ConditionEvaluationResult.enabled("not a class or method"));
    }

    static ConditionEvaluationResult evaluate(
            AnnotatedElement element,
            Predicate<OutsideProgram> present,
            Set<OutsideProgram> required) {
        Set<OutsideProgram> missing =
                AnnotationSupport.findAnnotation(element, NeedsProgram.class)
                        .map(needs -> EnumSet.copyOf(Arrays.asList(needs.value())))
                        .orElseGet(() -> EnumSet.noneOf(OutsideProgram.class));
        missing.removeIf(present);
        if (missing.isEmpty()) {
            return ConditionEvaluationResult.enabled("all needed programs are installed");
        }
        Set<OutsideProgram> violated = EnumSet.copyOf(missing);
        violated.retainAll(required);
        if (!violated.isEmpty()) {
            throw new ExtensionConfigurationException(
                    "-D"
                            + REQUIRE
                            + " names "
                            + list(violated)
                            + ", but there is no usable one on the PATH");
        }
        return ConditionEvaluationResult.disabled("needs " + list(missing));
    }

    /** The programs that {@code -Drequire} names. */
    static Set<OutsideProgram> required() {
        return required(System.getProperty(REQUIRE, ""));
    }

    static Set<OutsideProgram> required(String names) {
        Set<OutsideProgram> programs = EnumSet.noneOf(OutsideProgram.class);
        for (String name : names.split(",", -1)) {
            if (name.isBlank()) {
                continue;
            }
            try {
                programs.add(OutsideProgram.valueOf(name.strip().toUpperCase(Locale.ROOT)));
            } catch (IllegalArgumentException e) {
                throw new ExtensionConfigurationException(
                        "-D%s names '%s', but the known programs are %s"
                                .formatted(
                                        REQUIRE, name, list(EnumSet.allOf(OutsideProgram.class))),
                        e);
            }
        }
        return programs;
    }

    private static String list(Set<OutsideProgram> programs) {
        return programs.stream().map(OutsideProgram::toString).collect(Collectors.joining(" and "));
    }
}
