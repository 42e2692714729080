package io.holdfast.cli.architecture;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.assignableTo;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.properties.HasName.Predicates.nameMatching;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.lang.ArchRule;

import java.time.Clock;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.random.RandomGenerator;
import java.util.regex.Pattern;

/** The allowed dependencies between modules, as rules over the packages below {@code root}. */
final class ModuleRules {
    /** Each module with the modules of this project that it may depend on. */
    private static final Map<String, Set<String>> DEPENDENCIES =
            Map.ofEntries(
                    entry("engine"),
                    entry("driver", "engine"),
                    entry("protocol", "engine"),
                    entry("http", "engine", "driver", "protocol.json", "protocol.dflockd"),
                    entry("server", "engine", "driver", "protocol", "socketlock.internal"),
                    entry("cluster", "engine", "driver"),
                    entry("client"),
                    entry("client.testing", "client"),
                    entry("socketlock"),
                    entry("lockd"),
                    entry("lockfile"),
                    entry("console", "driver"),
                    entry("verification", "console", "driver", "socketlock", "lockfile"));

    /**
     * Which modules use the internals of another: the fake stands for what is behind the client's
     * interfaces, and the server is elected as the primary by the same rules as a client.
     */
    private static final Map<String, Set<String>> FRIENDS =
            Map.of("client", Set.of("client.testing"), "socketlock", Set.of("server"));

    /** Static methods whose result depends on the time, the machine or randomness. */
    private static final Map<String, Set<String>> NON_DETERMINISTIC =
            Map.of(
                    "java.lang.System",
                    Set.of(
                            "nanoTime",
                            "currentTimeMillis",
                            "identityHashCode",
                            "getenv",
                            "getProperty"),
                    "java.lang.Math",
                    Set.of("random"),
                    "java.util.UUID",
                    Set.of("randomUUID"),
                    "java.util.Collections",
                    Set.of("shuffle"));

    /** Allowed in the engine, which serializes its state but does not store it. */
    private static final String VALUES_AS_BYTES =
            "java\\.io\\.(DataInput|DataOutput|IOException|EOFException)";

    private final String root;

    ModuleRules(String root) {
        this.root = root;
    }

    private static Map.Entry<String, Set<String>> entry(String module, String... dependencies) {
        return Map.entry(module, Set.of(dependencies));
    }

    /** The names of the modules that may depend only on some of the others. */
    static Set<String> modules() {
        return DEPENDENCIES.keySet();
    }

    /** The module depends only on itself and on the modules in {@link #DEPENDENCIES}. */
    ArchRule of(String module) {
        DescribedPredicate<JavaClass> allowed = in(module);
        for (String other : DEPENDENCIES.getOrDefault(module, Set.of())) {
            allowed = allowed.or(in(other));
        }
        return noClasses()
                .that(in(module))
                .should()
                .dependOnClassesThat(resideInAPackage(root + "..").and(not(allowed)))
                .as(module + " depends only on the modules " + DEPENDENCIES.get(module));
    }

    ArchRule dependsOnlyOnTheJdk(String module) {
        return classes()
                .that(in(module))
                .should()
                .onlyDependOnClassesThat(
                        in(module)
                                .or(
                                        resideInAnyPackage(
                                                "java..",
                                                "javax.net.ssl..",
                                                // annotations, not needed at run time
                                                "org.jspecify.annotations..",
                                                "com.google.errorprone.annotations..")))
                .as(module + " depends only on the JDK");
    }

    ArchRule engineDoesNoInputOrOutput() {
        return noClasses()
                .that(in("engine"))
                .should()
                .dependOnClassesThat(
                        resideInAnyPackage(
                                        "java.io..",
                                        "java.net..",
                                        "java.nio.channels..",
                                        "java.nio.file..",
                                        "java.security..",
                                        "java.util.logging..")
                                .and(not(nameMatching(VALUES_AS_BYTES)))
                                .or(nameMatching("java\\.lang\\.(Process|Runtime).*")))
                .as("engine does no input or output");
    }

    ArchRule engineHasNoThreads() {
        return noClasses()
                .that(in("engine"))
                .should()
                .dependOnClassesThat(
                        resideInAPackage("java.util.concurrent..")
                                .and(not(nameMatching(".*\\.TimeUnit")))
                                .or(nameMatching("java\\.lang\\.(Thread|ScopedValue).*"))
                                .or(nameMatching("java\\.util\\.Timer.*")))
                .as("engine has no threads");
    }

    ArchRule engineIsDeterministic() {
        DescribedPredicate<JavaClass> sources =
                assignableTo(Random.class)
                        .or(assignableTo(RandomGenerator.class))
                        .or(assignableTo(Clock.class));
        return noClasses()
                .that(in("engine"))
                .should()
                .dependOnClassesThat(sources)
                .orShould()
                .accessTargetWhere(isNonDeterministic())
                .as("engine has no clock and no random source");
    }

    ArchRule protocolTakesBuffersAndCodecsFromNetty() {
        return noClasses()
                .that(in("protocol"))
                .should()
                .dependOnClassesThat(
                        resideInAPackage("io.netty..")
                                .and(
                                        not(
                                                resideInAnyPackage(
                                                        "io.netty.buffer..",
                                                        "io.netty.channel",
                                                        "io.netty.handler.codec..",
                                                        "io.netty.util..")))
                                .or(nameMatching("io\\.netty\\.channel\\..*EventLoopGroup")))
                .as("protocol takes buffers and codecs from Netty, and no transport");
    }

    ArchRule nothingDependsOnTheCli() {
        return noClasses()
                .that(resideInAPackage(root + "..").and(not(in("cli"))))
                .should()
                .dependOnClassesThat(in("cli"))
                .as("no module depends on the cli");
    }

    /** Packages named {@code internal} are used by their module only, and by its friends. */
    ArchRule internalsStayInternal(String module) {
        DescribedPredicate<JavaClass> allowed = in(module);
        for (String friend : FRIENDS.getOrDefault(module, Set.of())) {
            allowed = allowed.or(in(friend));
        }
        return noClasses()
                .that(resideInAPackage(root + "..").and(not(allowed)))
                .should()
                .dependOnClassesThat(in(module).and(resideInAPackage("..internal..")))
                .as("internals of " + module + " are used by it and its friends only");
    }

    ArchRule raftAloneUsesRatis() {
        return noClasses()
                .that(
                        resideInAPackage(root + "..")
                                .and(not(resideInAPackage(root + ".cluster.raft"))))
                .should()
                .dependOnClassesThat(resideInAPackage("org.apache.ratis.."))
                .as("only the package cluster.raft uses Ratis");
    }

    /** Their classes are public for the other packages of the engine. */
    ArchRule partsOfTheEngineStayInside() {
        return noClasses()
                .that(resideInAPackage(root + "..").and(not(in("engine"))))
                .should()
                .dependOnClassesThat(
                        resideInAnyPackage(
                                        root + ".engine.codec..",
                                        root + ".engine.data..",
                                        root + ".engine.time..")
                                .or(
                                        nameMatching(
                                                Pattern.quote(root + ".engine.view.")
                                                        + "(KeyedState|CursorList)(\\$.*)?")))
                .as(
                        "codec, data and time of the engine, and the lists behind its views, are"
                                + " used by the engine only");
    }

    ArchRule noPackageCycles() {
        return slices().matching(root + ".(**)").should().beFreeOfCycles();
    }

    /** Classes of the module; the packages below its own may include those of another module. */
    private DescribedPredicate<JavaClass> in(String module) {
        DescribedPredicate<JavaClass> own = resideInAPackage(root + "." + module + "..");
        for (String other : DEPENDENCIES.keySet()) {
            if (other.startsWith(module + ".")) {
                own = own.and(not(in(other)));
            }
        }
        return own;
    }

    private static DescribedPredicate<JavaAccess<?>> isNonDeterministic() {
        return DescribedPredicate.describe(
                "reads the time or a random source",
                access -> {
                    String owner = access.getTargetOwner().getName();
                    String name = access.getTarget().getName();
                    return (owner.startsWith("java.time.") && name.equals("now"))
                            || NON_DETERMINISTIC.getOrDefault(owner, Set.of()).contains(name);
                });
    }
}
