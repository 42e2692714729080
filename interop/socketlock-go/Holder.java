import io.holdfast.socketlock.SocketLock;
import io.holdfast.socketlock.SocketLockClient;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/**
 * A process with one client of Holdfast, for the tests of this folder. Reads {@code write}, {@code
 * read}, {@code release} and {@code primary} from standard input and responds to each with a line.
 */
final class Holder {
    public static void main(String[] arguments) throws IOException {
        SocketLockClient client = SocketLockClient.connect(Path.of(arguments[0]));
        System.out.println("connected");
        SocketLock lock = null;
        var commands = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = commands.readLine(); line != null; line = commands.readLine()) {
            switch (line) {
                case "write" -> lock = client.acquireWrite();
                case "read" -> lock = client.acquireRead();
                case "release" -> lock.release();
                default -> {}
            }
            System.out.println(line.equals("primary") ? "primary " + client.isPrimary() : line);
        }
        client.closeNow();
    }
}
