package io.holdfast.cli;

import io.holdfast.engine.Settings;
import io.holdfast.server.Endpoint;
import io.holdfast.server.HoldfastServer;
import io.holdfast.server.ServerConfig;
import io.holdfast.server.Transport;

import picocli.CommandLine.Command;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;

/**
 * Does what a server does in its first seconds, so that the build can record which classes and
 * methods matter and later starts are quick. Not for users.
 */
@Command(name = "train", hidden = true, description = "Warms up for the start-up cache.")
final class TrainCommand implements Callable<Integer> {
    private static final int ROUNDS = 5000;

    @Override
    public Integer call() throws Exception {
        ServerConfig config =
                new ServerConfig(
                        List.of(new Endpoint("127.0.0.1", 0, false)),
                        new Settings(0, Duration.ofSeconds(60).toNanos(), true),
                        1000,
                        0,
                        0,
                        Duration.ofSeconds(33),
                        Duration.ofSeconds(1),
                        Duration.ofSeconds(23),
                        Duration.ofSeconds(5),
                        Duration.ofSeconds(30),
                        null,
                        null,
                        null,
                        Transport.AUTO,
                        1);
        HoldfastServer server = HoldfastServer.start(config);
        InetSocketAddress address = server.addresses().getFirst();
        try (Socket socket = new Socket(address.getAddress(), address.getPort());
                BufferedReader in =
                        new BufferedReader(
                                new InputStreamReader(
                                        socket.getInputStream(), StandardCharsets.US_ASCII))) {
            socket.setTcpNoDelay(true);
            for (int i = 0; i < ROUNDS; i++) {
                String granted = ask(socket, in, "l\nkey" + i % 10 + "\n5 10\n");
                ask(socket, in, "r\nkey" + i % 10 + "\n" + granted.substring(3, 35) + "\n");
            }
            for (String request :
                    List.of("sl\ns\n1 2\n", "e\nq\n\n", "w\nq\n1\n", "ping\n\n\n", "nope\n\n\n")) {
                ask(socket, in, request);
            }
            ask(socket, in, "stats\n\n\n");
        }
        server.drain();
        return 0;
    }

    private static String ask(Socket socket, BufferedReader in, String request) throws IOException {
        OutputStream out = socket.getOutputStream();
        out.write(request.getBytes(StandardCharsets.US_ASCII));
        out.flush();
        String answer = in.readLine();
        if (answer == null) {
            throw new IOException("the server closed the connection");
        }
        return answer;
    }
}
