import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.File;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.CountDownLatch;
import org.apache.kafka.common.serialization.Serde;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.StreamsConfig.InternalConfig;
import org.apache.kafka.streams.errors.StreamsUncaughtExceptionHandler.StreamThreadExceptionResponse;
import org.apache.kafka.streams.kstream.Consumed;
import org.apache.kafka.streams.kstream.Grouped;
import org.apache.kafka.streams.kstream.JoinWindows;
import org.apache.kafka.streams.kstream.KGroupedStream;
import org.apache.kafka.streams.kstream.KStream;
import org.apache.kafka.streams.kstream.KTable;
import org.apache.kafka.streams.kstream.Materialized;
import org.apache.kafka.streams.kstream.Repartitioned;
import org.apache.kafka.streams.kstream.SessionWindows;
import org.apache.kafka.streams.kstream.StreamJoined;
import org.apache.kafka.streams.kstream.Suppressed;
import org.apache.kafka.streams.kstream.Suppressed.BufferConfig;
import org.apache.kafka.streams.kstream.TimeWindows;
import org.apache.kafka.streams.kstream.ValueJoiner;
import org.apache.kafka.streams.kstream.Windowed;
import org.apache.kafka.streams.processor.api.ProcessorSupplier;
import org.apache.kafka.streams.state.BuiltInDslStoreSuppliers;
import org.apache.kafka.streams.state.SessionStore;
import org.apache.kafka.streams.state.WindowStore;

/**
 * Computes the windows and joins of a plan (a JSON file, the only argument) with Kafka Streams. Prints a line of JSON
 * for each result. For each input it prints a line when as many of its records have reached the windows and joins as
 * the plan says: {"through": 0}. Ends when each input's `end` has been reached.
 */
public class Comparison {
  private static final ObjectMapper json = new ObjectMapper();
  private static final Serde<String> text = Serdes.String();

  public static void main(String[] args) throws Exception {
    JsonNode plan = json.readTree(new File(args[0]));
    JsonNode inputs = plan.get("inputs");
    CountDownLatch left = new CountDownLatch(inputs.size());
    StreamsBuilder builder = new StreamsBuilder();
    Map<String, KStream<String, String>> topics = new HashMap<>();
    List<KStream<String, String>> keyed = new ArrayList<>();
    for (int i = 0; i < inputs.size(); i++) {
      JsonNode input = inputs.get(i);
      String topic = input.get("topic").asText();
      Consumed<String, String> consumed =
          Consumed.with(text, text).withTimestampExtractor((record, before) -> eventTime((String) record.value()));
      KStream<String, String> events = topics.computeIfAbsent(topic, name -> builder.stream(name, consumed));
      keyed.add(counted(i, input, keyed(i, input, events), left));
      define(input, keyed.get(i));
    }
    for (JsonNode join : plan.get("joins")) define(join, side(join, "left", keyed), side(join, "right", keyed));

    KafkaStreams streams = new KafkaStreams(builder.build(), settings(plan));
    streams.setUncaughtExceptionHandler(
        error -> {
          error.printStackTrace();
          Runtime.getRuntime().halt(1);
          return StreamThreadExceptionResponse.SHUTDOWN_APPLICATION;
        });
    streams.start();
    left.await();
    // Waits for the record in progress, so that its results are printed, too.
    streams.close();
  }

  private static Properties settings(JsonNode plan) {
    Properties settings = new Properties();
    settings.put(StreamsConfig.APPLICATION_ID_CONFIG, plan.get("application").asText());
    settings.put(StreamsConfig.BOOTSTRAP_SERVERS_CONFIG, plan.get("brokers").asText());
    settings.put(StreamsConfig.STATE_DIR_CONFIG, plan.get("folder").asText());
    settings.put(StreamsConfig.STATESTORE_CACHE_MAX_BYTES_CONFIG, 0);
    settings.put(StreamsConfig.COMMIT_INTERVAL_MS_CONFIG, 200);
    settings.put("auto.offset.reset", "earliest");
    // Else an event that joins none is emitted at most once a second.
    settings.put(InternalConfig.EMIT_INTERVAL_MS_KSTREAMS_OUTER_JOIN_SPURIOUS_RESULTS_FIX, 0L);
    return settings;
  }

  /**
   * Groups by the key of the records, which is the partitioning key, or by a member of the data over all partitions.
   */
  private static KStream<String, String> keyed(int i, JsonNode input, KStream<String, String> events) {
    String member = input.get("key").asText();
    if (member.equals("entity_id")) return events;
    return events
        .selectKey((key, event) -> parsed(event).get("data").get(member).asText())
        .repartition(Repartitioned.with(text, text).withName("input-" + i));
  }

  private static KStream<String, String> counted(
      int i, JsonNode input, KStream<String, String> events, CountDownLatch left) {
    long[] read = {0};
    return events.peek(
        (key, event) -> {
          synchronized (read) {
            read[0]++;
            if (read[0] == input.get("events").asLong()) print(json.createObjectNode().put("through", i));
            if (read[0] == input.get("end").asLong()) left.countDown();
          }
        });
  }

  private static void define(JsonNode input, KStream<String, String> events) {
    if (input.get("windows").isEmpty()) return;
    KGroupedStream<String, String> grouped = events.groupByKey(Grouped.with(text, text));
    for (JsonNode window : input.get("windows")) {
      KTable<Windowed<String>, String> table = table(grouped, window);
      boolean updates = window.get("updates").asBoolean();
      KTable<Windowed<String>, String> said =
          updates
              ? table
              : table.suppress(Suppressed.untilWindowCloses(BufferConfig.unbounded().withLoggingDisabled()));
      said.toStream().foreach((key, list) -> result(window.get("id").asInt(), key, list));
    }
  }

  private static KTable<Windowed<String>, String> table(KGroupedStream<String, String> grouped, JsonNode window) {
    Duration size = seconds(window, "size");
    Duration grace = seconds(window, "lateness");
    if (window.get("kind").asText().equals("session")) {
      // Keeps only results that may still change: see README.md.
      Materialized<String, String, SessionStore<Bytes, byte[]>> kept =
          Materialized.<String, String, SessionStore<Bytes, byte[]>>as(BuiltInDslStoreSuppliers.IN_MEMORY)
              .withKeySerde(text)
              .withValueSerde(text)
              .withLoggingDisabled()
              .withRetention(size.plus(grace).plusMillis(1));
      return grouped
          .windowedBy(SessionWindows.ofInactivityGapAndGrace(size, grace))
          .aggregate(() -> "", (key, event, list) -> with(list, event), (key, a, b) -> a + b, kept);
    }
    Materialized<String, String, WindowStore<Bytes, byte[]>> kept =
        Materialized.<String, String, WindowStore<Bytes, byte[]>>as(BuiltInDslStoreSuppliers.IN_MEMORY)
            .withKeySerde(text)
            .withValueSerde(text)
            .withLoggingDisabled();
    return grouped
        .windowedBy(TimeWindows.ofSizeAndGrace(size, grace).advanceBy(seconds(window, "every")))
        .aggregate(() -> "", (key, event, list) -> with(list, event), kept);
  }

  /** The state of a window: `n:amount` of each of its events. */
  private static String with(String list, String event) {
    JsonNode data = parsed(event).get("data");
    return list + data.get("n").asText() + ":" + data.get("amount").asText() + " ";
  }

  private static void result(int window, Windowed<String> key, String list) {
    // The session has become part of another one.
    if (list == null) return;
    ObjectNode line = json.createObjectNode();
    line.put("id", window).put("key", key.key());
    line.put("start", key.window().start()).put("end", key.window().end());
    long sum = 0;
    long least = Long.MAX_VALUE;
    long most = Long.MIN_VALUE;
    ArrayNode events = line.putArray("events");
    for (String event : list.trim().split(" ")) {
      String[] parts = event.split(":");
      long amount = Long.parseLong(parts[1]);
      sum += amount;
      least = Math.min(least, amount);
      most = Math.max(most, amount);
      events.add(Integer.parseInt(parts[0]));
    }
    print(line.put("sum", sum).put("least", least).put("most", most));
  }

  /** The events of an input. If the join splits it, the left ones have an amount of at least 0. */
  private static KStream<String, String> side(JsonNode join, String name, List<KStream<String, String>> inputs) {
    KStream<String, String> events = inputs.get(join.get(name).asInt());
    if (!join.get("split").asBoolean()) return events;
    return events.filter(
        (key, event) -> parsed(event).get("data").get("amount").asLong() >= 0 == name.equals("left"));
  }

  private static void define(JsonNode join, KStream<String, String> left, KStream<String, String> right) {
    // With a millisecond more, the stores retain an event for the last instant at which it can join: see README.md.
    Duration grace = seconds(join, "lateness").plusMillis(1);
    JoinWindows windows =
        JoinWindows.ofTimeDifferenceAndGrace(Duration.ZERO, grace)
            .before(seconds(join, "before"))
            .after(seconds(join, "after"));
    StreamJoined<String, String, String> kept =
        StreamJoined.with(text, text, text)
            .withDslStoreSuppliers(BuiltInDslStoreSuppliers.IN_MEMORY)
            .withLoggingDisabled();
    ValueJoiner<String, String, ObjectNode> pair =
        (a, b) -> json.createObjectNode().<ObjectNode>set("left", number(a)).set("right", number(b));
    KStream<String, ObjectNode> joined =
        switch (join.get("kind").asText()) {
          case "inner" -> left.join(right, pair, windows, kept);
          case "left" -> left.leftJoin(right, pair, windows, kept);
          case "outer" -> left.outerJoin(right, pair, windows, kept);
          default -> throw new IllegalArgumentException(join.toString());
        };
    int id = join.get("id").asInt();
    ProcessorSupplier<String, ObjectNode, Void, Void> printed =
        () -> record -> print(record.value().put("id", id).put("key", record.key()).put("at", record.timestamp()));
    joined.process(printed);
  }

  /** The number of an event; null if there is no event. */
  private static JsonNode number(String event) {
    return event == null ? json.nullNode() : parsed(event).get("data").get("n");
  }

  private static long eventTime(String event) {
    return Instant.parse(parsed(event).get("timestamp").asText()).toEpochMilli();
  }

  private static JsonNode parsed(String event) {
    try {
      return json.readTree(event);
    } catch (java.io.IOException error) {
      throw new IllegalArgumentException(event, error);
    }
  }

  private static Duration seconds(JsonNode window, String member) {
    return Duration.ofSeconds(window.get(member).asLong());
  }

  private static void print(JsonNode line) {
    System.out.println(line);
  }
}
