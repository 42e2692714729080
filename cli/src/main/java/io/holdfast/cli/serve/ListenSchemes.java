package io.holdfast.cli.serve;

import static java.util.stream.Collectors.joining;

import io.holdfast.server.ServerProtocols;
import io.holdfast.server.listener.ListenAddress;
import io.holdfast.server.listener.ListenScheme;
import io.holdfast.server.listener.ServerProtocol;

import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** The schemes of {@code --listen}: those of protocols, and in the texts also those of HTTP. */
record ListenSchemes(List<ListenScheme> schemes) {
    /** The schemes of all protocols that the server has. */
    static final ListenSchemes ALL = of(ServerProtocols.ALL);

    static ListenSchemes of(List<ServerProtocol> protocols) {
        return new ListenSchemes(
                protocols.stream().flatMap(protocol -> protocol.schemes().stream()).toList());
    }

    /** Finds the scheme of a URL. */
    Optional<ListenScheme> find(String url) {
        return schemes.stream().filter(scheme -> url.startsWith(beginning(scheme))).findFirst();
    }

    /** The beginnings of all URLs, to be read by users. */
    String beginnings() {
        return join(
                Stream.concat(schemes.stream().map(ListenSchemes::beginning), Stream.of("http://")),
                "https://");
    }

    /** The beginnings of URLs with TLS, to be read by users. */
    String tlsBeginnings() {
        return join(
                schemes.stream().filter(ListenScheme::tls).map(ListenSchemes::beginning),
                "https://");
    }

    /** The help of {@code --listen}. */
    String help() {
        Stream<String> plain =
                schemes.stream().filter(scheme -> !scheme.tls()).map(ListenSchemes::form);
        return "Where to listen, as "
                + join(plain, "http://HOST:PORT")
                + ", with TLS "
                + tlsBeginnings()
                + "; may be repeated";
    }

    private static String form(ListenScheme scheme) {
        return beginning(scheme)
                + switch (scheme.example()) {
                    case ListenAddress.Tcp _ -> "HOST:PORT";
                    case ListenAddress.Unix _ -> "PATH";
                };
    }

    private static String beginning(ListenScheme scheme) {
        return scheme.name() + "://";
    }

    private static String join(Stream<String> texts, String last) {
        return texts.collect(joining(", ")) + " or " + last;
    }
}
