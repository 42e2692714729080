package io.holdfast.cluster.raft;

import java.lang.reflect.Proxy;
import java.util.Map;
import java.util.function.Supplier;

/** Makes objects of interfaces of Ratis of which a test needs a few methods without parameters. */
final class InterfaceStub {
    private InterfaceStub() {}

    /** Returns an object that is equal to itself only. */
    static <T> T of(Class<T> type, Map<String, Supplier<Object>> methods) {
        return type.cast(
                Proxy.newProxyInstance(
                        type.getClassLoader(),
                        new Class<?>[] {type},
                        (self, method, arguments) -> {
                            if (method.getName().equals("equals")) {
                                return self == arguments[0];
                            }
                            return methods.get(method.getName()).get();
                        }));
    }
}
