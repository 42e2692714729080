package io.holdfast.console.json;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Reads a text with Jackson's parser. */
final class JsonReader {
    private static final JsonFactory FACTORY =
            JsonFactory.builder()
                    .streamReadConstraints(
                            StreamReadConstraints.builder()
                                    .maxNestingDepth(64)
                                    .maxStringLength(
                                            Integer.MAX_VALUE) // the caller limits the text
                                    .build())
                    .build();

    private JsonReader() {}

    static JsonValue read(String text) {
        try (JsonParser parser = FACTORY.createParser(text)) {
            if (parser.nextToken() == null) {
                throw new IllegalArgumentException("there is no value");
            }
            JsonValue value = value(parser);
            if (parser.nextToken() != null) {
                throw new IllegalArgumentException("more after the value");
            }
            return value;
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException(e.getOriginalMessage(), e);
        } catch (IOException e) {
            throw new IllegalArgumentException(e);
        }
    }

    private static JsonValue value(JsonParser parser) throws IOException {
        return switch (parser.currentToken()) {
            case START_OBJECT -> object(parser);
            case START_ARRAY -> array(parser);
            case VALUE_STRING -> new JsonValue.StringValue(parser.getText());
            case VALUE_NUMBER_INT, VALUE_NUMBER_FLOAT ->
                    new JsonValue.NumberValue(parser.getDoubleValue());
            default -> new JsonValue.Literal(parser.getText());
        };
    }

    private static JsonValue object(JsonParser parser) throws IOException {
        Map<String, JsonValue> values = new LinkedHashMap<>();
        while (parser.nextToken() != JsonToken.END_OBJECT) {
            String name = parser.currentName();
            parser.nextToken();
            values.put(name, value(parser));
        }
        return new JsonValue.ObjectValue(values);
    }

    private static JsonValue array(JsonParser parser) throws IOException {
        List<JsonValue> values = new ArrayList<>();
        while (parser.nextToken() != JsonToken.END_ARRAY) {
            values.add(value(parser));
        }
        return new JsonValue.ArrayValue(values);
    }
}
