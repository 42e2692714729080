package io.holdfast.server;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A server in its own process, for tests of process limits. */
final class ServerProcess implements AutoCloseable {
    private final Process process;
    private final InetSocketAddress address;

    private ServerProcess(Process process, InetSocketAddress address) {
        this.process = process;
        this.address = address;
    }

    /**
     * Starts a JVM with the flags of the launcher and additional ones.
     *
     * @param wrapper words before {@code java} on the command line
     */
    static ServerProcess start(
            List<String> wrapper, List<String> flags, IoTransport ioTransport, Duration idle)
            throws IOException {
        List<String> command = new ArrayList<>(wrapper);
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(launcherFlags());
        command.addAll(flags);
        command.addAll(List.of("-cp", System.getProperty("java.class.path")));
        command.addAll(List.of(Main.class.getName(), ioTransport.label(), idle.toString()));
        Process process =
                new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
        try {
            BufferedReader out =
                    new BufferedReader(
                            new InputStreamReader(
                                    process.getInputStream(), StandardCharsets.US_ASCII));
            String port = out.readLine();
            if (port == null) {
                throw new IOException("the server ended before it was listening");
            }
            InetAddress loopback = InetAddress.getLoopbackAddress();
            return new ServerProcess(
                    process, new InetSocketAddress(loopback, Integer.parseInt(port)));
        } catch (IOException | RuntimeException e) {
            process.destroyForcibly();
            throw e;
        }
    }

    /** The JVM flags in the launcher script, except for the heap size. */
    private static List<String> launcherFlags() throws IOException {
        String script = Files.readString(Path.of("..", "holdfast"));
        List<String> flags = new ArrayList<>();
        for (String name : List.of("hf_collector", "hf_flags")) {
            Matcher line =
                    Pattern.compile("^" + name + "=\"([^\"]*)\"$", Pattern.MULTILINE)
                            .matcher(script);
            if (!line.find()) {
                throw new IOException("no " + name + " in the launcher");
            }
            flags.addAll(List.of(line.group(1).trim().split("\\s+")));
        }
        return flags;
    }

    InetSocketAddress address() {
        return address;
    }

    long pid() {
        return process.pid();
    }

    boolean isAlive() {
        return process.isAlive();
    }

    /** The processor time that it has used. */
    Duration cpu() {
        return process.info().totalCpuDuration().orElseThrow();
    }

    @Override
    public void close() {
        try {
            process.getOutputStream().close(); // signals the end
            if (!process.waitFor(60, TimeUnit.SECONDS)) {
                process.destroyForcibly();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }

    /** The main class of the process: prints its port, and ends with its standard input. */
    static final class Main {
        private Main() {}

        public static void main(String[] args) throws Exception {
            TestConfig config =
                    new TestConfig()
                            .transport(IoTransport.of(args[0]))
                            .idle(Duration.parse(args[1]))
                            .collectEvery(Duration.ofMillis(200))
                            .eventLoops(1);
            HoldfastServer server = HoldfastServer.start(config.build());
            System.out.println(server.addresses().getFirst().getPort());
            while (System.in.read() >= 0) {
                // only the end of input is expected
            }
            server.close();
        }
    }
}
