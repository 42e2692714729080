package io.holdfast.driver.tls;

/** Self-signed certificates of EC keys (P-256), as openssl writes them. */
final class TestCertificates {
    static final String FIRST =
            """
            -----BEGIN CERTIFICATE-----
            MIIBdjCCAR2gAwIBAgIUKVxsadTQPxrvO+M3k1uIAl6UcEgwCgYIKoZIzj0EAwIw
            EDEOMAwGA1UEAwwFZmlyc3QwIBcNMjYxMTE5MjI0ODE5WhgPMjEyNjEwMjYyMjQ4
            MTlaMBAxDjAMBgNVBAMMBWZpcnN0MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE
            kz1nFyqQDJF7Es7lG3bpH8ppbJ+NeaWV0nT0ZmRhnAPgtVl9ALdtRCJgxYIyEhPk
            a091F8ihkHanNMNgUJC0HKNTMFEwHQYDVR0OBBYEFKi5wo4V5A7p1UFVn4l4jujU
            2g2sMB8GA1UdIwQYMBaAFKi5wo4V5A7p1UFVn4l4jujU2g2sMA8GA1UdEwEB/wQF
            MAMBAf8wCgYIKoZIzj0EAwIDRwAwRAIgI2wrxgpOAo3CCKEN2Z3mYyJEp1CtMQlj
            1Bp0BBWIdHECIBGLOx3AzFMX/L3w0cJdLVDVYOwWNNkOs6KejyMCrrA/
            -----END CERTIFICATE-----
            """;

    static final String SECOND =
            """
            -----BEGIN CERTIFICATE-----
            MIIBeTCCAR+gAwIBAgIUSsUOExU4wIqRtwPKXxIt8JGDiVkwCgYIKoZIzj0EAwIw
            ETEPMA0GA1UEAwwGc2Vjb25kMCAXDTI2MTExOTIyNDgxOVoYDzIxMjYxMDI2MjI0
            ODE5WjARMQ8wDQYDVQQDDAZzZWNvbmQwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNC
            AATg/+5W5oEJs2nS9rEqcFQWqPvClU0w+oYSYhSFXr29DhzCmpxJv124+3SLG2wA
            xN32JUhngFVrhhSeRx5eQhuno1MwUTAdBgNVHQ4EFgQUnsqNWiqhQOeVal/pX/oL
            XwBsF50wHwYDVR0jBBgwFoAUnsqNWiqhQOeVal/pX/oLXwBsF50wDwYDVR0TAQH/
            BAUwAwEB/zAKBggqhkjOPQQDAgNIADBFAiAsAIzN1xwJienicni2ldBQH4/+C64i
            AG+/vysmmeUjSAIhAIp71oML7CoZR+EtuN8pgZ5XnNipeG1n2pzgrGEBUhWO
            -----END CERTIFICATE-----
            """;

    private TestCertificates() {}
}
