import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;

/** Connects like Metabase, DBeaver and other JDBC tools. Prints one JSON document. Arguments: port, key, view. */
public class JdbcClient {
  public static void main(String[] args) throws SQLException {
    String view = args[2];
    Properties properties = new Properties();
    properties.setProperty("user", "default");
    properties.setProperty("password", args[1]);
    String url = "jdbc:clickhouse:http://127.0.0.1:" + args[0] + "/";
    try (Connection connection = DriverManager.getConnection(url, properties)) {
      System.out.printf(
          "{\"valid\":%b,\"tables\":%s,\"columns\":%s,\"rows\":%s,\"bound\":%s,\"streamed\":%d,\"refused\":%s}%n",
          connection.isValid(10),
          json(column(connection.getMetaData().getTables(null, null, "%", null), "TABLE_NAME")),
          json(column(connection.getMetaData().getColumns(null, null, view, "%"), "COLUMN_NAME")),
          json(query(connection, "SELECT amount FROM " + view + " ORDER BY offset")),
          json(bound(connection, view)),
          streamed(connection),
          json(List.of(refused(connection))));
    }
  }

  private static List<String> query(Connection connection, String text) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      return column(statement.executeQuery(text), 1);
    }
  }

  private static List<String> bound(Connection connection, String view) throws SQLException {
    String text = "SELECT entity_id FROM " + view + " WHERE amount = ? ORDER BY offset LIMIT 1";
    try (PreparedStatement statement = connection.prepareStatement(text)) {
      statement.setLong(1, 7);
      return column(statement.executeQuery(), 1);
    }
  }

  private static long streamed(Connection connection) throws SQLException {
    long rows = 0;
    try (Statement statement = connection.createStatement();
        ResultSet found = statement.executeQuery("SELECT arrayJoin(range(toUInt64(1000000))) AS n FROM (SELECT 1)")) {
      while (found.next()) rows++;
    }
    return rows;
  }

  private static String refused(Connection connection) {
    try {
      return String.join(",", query(connection, "SELECT * FROM merge('.*', 'events')"));
    } catch (SQLException refusal) {
      return refusal.getMessage();
    }
  }

  private static List<String> column(ResultSet found, Object which) throws SQLException {
    List<String> values = new ArrayList<>();
    while (found.next()) values.add(which instanceof String name ? found.getString(name) : found.getString((int) which));
    return values;
  }

  private static String json(List<String> values) {
    List<String> quoted = new ArrayList<>();
    for (String value : values) {
      quoted.add("\"" + value.replace("\\", "\\\\").replace("\"", "\\\"").replace("\n", "\\n") + "\"");
    }
    return "[" + String.join(",", quoted) + "]";
  }
}
