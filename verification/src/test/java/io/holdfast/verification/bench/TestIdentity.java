package io.holdfast.verification.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.ArrayList;
import java.util.List;

import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;

/** A self-signed certificate for 127.0.0.1, made by the JDK's keytool. */
record TestIdentity(Path store, Path certificate) {
    private static final String PASSWORD = "changeit";

    static TestIdentity create(Path folder) throws IOException, InterruptedException {
        var store = folder.resolve("server.p12");
        var certificate = folder.resolve("server.pem");
        keytool(
                store,
                List.of(
                        "-genkeypair",
                        "-keyalg",
                        "EC",
                        "-dname",
                        "CN=test",
                        "-ext",
                        "san=ip:127.0.0.1",
                        "-validity",
                        "2"));
        keytool(store, List.of("-exportcert", "-rfc", "-file", certificate.toString()));
        return new TestIdentity(store, certificate);
    }

    ServerSocket listener() throws IOException, GeneralSecurityException {
        var keys = KeyStore.getInstance("PKCS12");
        try (var in = Files.newInputStream(store)) {
            keys.load(in, PASSWORD.toCharArray());
        }
        var managers = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        managers.init(keys, PASSWORD.toCharArray());
        var context = SSLContext.getInstance("TLS");
        context.init(managers.getKeyManagers(), null, null);
        return context.getServerSocketFactory()
                .createServerSocket(0, 64, InetAddress.getLoopbackAddress());
    }

    private static void keytool(Path store, List<String> arguments)
            throws IOException, InterruptedException {
        var command = new ArrayList<String>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "keytool").toString());
        command.addAll(arguments);
        command.addAll(
                List.of("-alias", "server", "-storepass", PASSWORD, "-keystore", store.toString()));
        var process = new ProcessBuilder(command).redirectErrorStream(true).start();
        var output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(output).isZero();
    }
}
