package io.holdfast.cli.architecture;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchRule;

import io.holdfast.cli.architecture.fixture.driver.DriverViolations.KnowsTheProtocol;
import io.holdfast.cli.architecture.fixture.driver.DriverViolations.KnowsTheServer;
import io.holdfast.cli.architecture.fixture.east.East;
import io.holdfast.cli.architecture.fixture.engine.EngineViolations.AsksForNow;
import io.holdfast.cli.architecture.fixture.engine.EngineViolations.Compliant;
import io.holdfast.cli.architecture.fixture.engine.EngineViolations.DependsOnAddresses;
import io.holdfast.cli.architecture.fixture.engine.EngineViolations.DrawsARandomNumber;
import io.holdfast.cli.architecture.fixture.engine.EngineViolations.DrawsAnId;
import io.holdfast.cli.architecture.fixture.engine.EngineViolations.DrawsFromTheThread;
import io.holdfast.cli.architecture.fixture.engine.EngineViolations.KeepsAClock;
import io.holdfast.cli.architecture.fixture.engine.EngineViolations.LooksAtAFile;
import io.holdfast.cli.architecture.fixture.engine.EngineViolations.OpensASocket;
import io.holdfast.cli.architecture.fixture.engine.EngineViolations.Prints;
import io.holdfast.cli.architecture.fixture.engine.EngineViolations.ReadsNanoTime;
import io.holdfast.cli.architecture.fixture.engine.EngineViolations.ReadsTheWallClock;
import io.holdfast.cli.architecture.fixture.engine.EngineViolations.StartsAThread;
import io.holdfast.cli.architecture.fixture.engine.EngineViolations.TakesALock;
import io.holdfast.cli.architecture.fixture.engine.EngineViolations.UsesALibrary;
import io.holdfast.cli.architecture.fixture.protocol.ProtocolViolations.ChoosesATransport;
import io.holdfast.cli.architecture.fixture.protocol.ProtocolViolations.Innocent;
import io.holdfast.cli.architecture.fixture.protocol.ProtocolViolations.OpensAListener;
import io.holdfast.cli.architecture.fixture.protocol.ProtocolViolations.OwnsEventLoops;
import io.holdfast.cli.architecture.fixture.server.ServerViolations.KnowsTheCli;
import io.holdfast.cli.architecture.fixture.west.West;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import java.util.stream.Stream;

@DisplayName("The doors between modules")
class ModuleRulesTest {
    private static final JavaClasses OURS =
            new ClassFileImporter()
                    .withImportOption(new ImportOption.DoNotIncludeTests())
                    .importPackages("io.holdfast");
    private static final ModuleRules REAL = new ModuleRules("io.holdfast");
    private static final ModuleRules FIXTURE =
            new ModuleRules("io.holdfast.cli.architecture.fixture");

    @ParameterizedTest(name = "{0}")
    @MethodSource("rules")
    void hold_in_our_code(ArchRule rule) {
        rule.check(OURS);
    }

    @ParameterizedTest(name = "{0}: {1}")
    @MethodSource("flaws")
    void open_for_no_flaw(ArchRule rule, Class<?> flaw) {
        assertThat(violations(rule, flaw)).anyMatch(line -> line.contains(flaw.getSimpleName()));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("engineRules")
    void let_a_pure_engine_be(ArchRule rule) {
        assertThat(violations(rule, Compliant.class)).isEmpty();
    }

    @Test
    void let_a_protocol_have_its_buffers() {
        var rule = FIXTURE.protocolTakesBuffersAndCodecsFromNetty();
        assertThat(violations(rule, Innocent.class)).isEmpty();
    }

    @Test
    void notice_packages_that_need_each_other() {
        assertThat(violations(FIXTURE.noPackageCycles(), East.class, West.class)).hasSize(1);
        assertThat(violations(FIXTURE.noPackageCycles(), East.class)).isEmpty();
    }

    static Stream<ArchRule> rules() {
        return Stream.concat(
                engineRules(REAL),
                Stream.of(
                        REAL.of("driver"),
                        REAL.of("protocol"),
                        REAL.of("http"),
                        REAL.of("server"),
                        REAL.of("cluster"),
                        REAL.of("client"),
                        REAL.needsTheJdkAlone("client"),
                        REAL.of("lockfile"),
                        REAL.needsTheJdkAlone("lockfile"),
                        REAL.protocolTakesBuffersAndCodecsFromNetty(),
                        REAL.nobodyKnowsTheCli(),
                        REAL.noPackageCycles()));
    }

    static Stream<ArchRule> engineRules() {
        return engineRules(FIXTURE);
    }

    private static Stream<ArchRule> engineRules(ModuleRules moduleRules) {
        return Stream.of(
                moduleRules.of("engine"),
                moduleRules.needsTheJdkAlone("engine"),
                moduleRules.engineNeverLeavesItsRoom(),
                moduleRules.engineHasNoThreads(),
                moduleRules.engineIsRepeatable());
    }

    static Stream<Arguments> flaws() {
        return Stream.of(
                        Stream.of(
                                arguments(
                                        FIXTURE.of("engine"),
                                        io.holdfast.cli.architecture.fixture.engine.EngineViolations
                                                .KnowsTheDriver.class),
                                arguments(
                                        FIXTURE.of("protocol"),
                                        io.holdfast.cli.architecture.fixture.protocol
                                                .ProtocolViolations.KnowsTheDriver.class)),
                        each(FIXTURE.of("driver"), KnowsTheProtocol.class, KnowsTheServer.class),
                        each(FIXTURE.of("server"), KnowsTheCli.class),
                        each(FIXTURE.nobodyKnowsTheCli(), KnowsTheCli.class),
                        each(FIXTURE.needsTheJdkAlone("engine"), UsesALibrary.class),
                        each(
                                FIXTURE.engineNeverLeavesItsRoom(),
                                OpensASocket.class,
                                LooksAtAFile.class,
                                Prints.class),
                        each(
                                FIXTURE.engineHasNoThreads(),
                                StartsAThread.class,
                                TakesALock.class,
                                DrawsFromTheThread.class),
                        each(
                                FIXTURE.engineIsRepeatable(),
                                ReadsNanoTime.class,
                                ReadsTheWallClock.class,
                                AsksForNow.class,
                                KeepsAClock.class,
                                DrawsARandomNumber.class,
                                DrawsFromTheThread.class,
                                DrawsAnId.class,
                                DependsOnAddresses.class),
                        each(
                                FIXTURE.protocolTakesBuffersAndCodecsFromNetty(),
                                ChoosesATransport.class,
                                OpensAListener.class,
                                OwnsEventLoops.class))
                .flatMap(flaws -> flaws);
    }

    private static Stream<Arguments> each(ArchRule rule, Class<?>... flaws) {
        return Stream.of(flaws).map(flaw -> arguments(rule, flaw));
    }

    private static java.util.List<String> violations(ArchRule rule, Class<?>... classes) {
        JavaClasses imported = new ClassFileImporter().importClasses(classes);
        return rule.evaluate(imported).getFailureReport().getDetails();
    }
}
