/* SPDX-License-Identifier: Apache-2.0 */
/* What keys.txt and maps.txt were made with: java Keys.java. What Debezium stored was read from its topic of offsets. */
import java.io.*; import java.math.*; import java.util.*; import java.time.*;
public class Keys {
  static String hex(Object o) throws Exception { var b=new ByteArrayOutputStream(); var s=new ObjectOutputStream(b); s.writeObject(o); s.close(); return HexFormat.of().formatHex(b.toByteArray()); }
  static void p(String name, Object... a) throws Exception { System.out.println(name+" "+hex(a)); }
  public static void main(String[] x) throws Exception {
    TimeZone.setDefault(TimeZone.getTimeZone("UTC"));
    System.out.println("null "+hex(null));
    p("empty");
    p("integer", 1001); p("integers", 1, -2, 2147483647); p("long", 5000000000L); p("mixed", 7, 8L, (short)-3, (byte)5, true, false);
    p("bytes", (Object)new byte[]{0,1,(byte)255}); p("bytes_twice", new byte[]{1}, new byte[]{});
    p("float", 1.5f); p("double", -0.1); p("nulls", null, 4);
    p("big_integer", new BigInteger("18446744073709551615")); p("big_integer_negative", new BigInteger("-256")); p("big_zero", BigInteger.ZERO);
    p("big_decimal", new BigDecimal("12.30")); p("big_decimal_negative", new BigDecimal("-99999999999999999999.9999999999")); p("big_decimals", new BigDecimal("1.5"), new BigDecimal("2.5")); p("big_decimal_exp", new BigDecimal("1E+3"));
    p("timestamp", new java.sql.Timestamp(1700000000123L)); var t=new java.sql.Timestamp(-1500L); t.setNanos(500000000); p("timestamp_before", t); 
    var t2=new java.sql.Timestamp(1700000000000L); t2.setNanos(123456000); p("timestamps", t2, t2, new java.sql.Timestamp(0));
    p("date", LocalDate.of(2026,11,30)); p("duration", Duration.ofSeconds(-3661, 500000000)); p("times", LocalDate.of(1,1,1), Duration.ZERO);
    p("local_date_time", LocalDateTime.of(2026,11,30,17,33,11,123456000)); p("local_date_time_short", LocalDateTime.of(2026,11,30,17,0)); p("local_date_time_minute", LocalDateTime.of(2026,11,30,17,33)); p("local_date_time_second", LocalDateTime.of(2026,11,30,17,33,11));
    p("sql_date", new java.sql.Date(86400000L)); p("sql_time", new java.sql.Time(1000)); p("instant", Instant.ofEpochSecond(5,6)); p("unknown", new ArrayList<>(List.of(1,2)));
    var m=new HashMap<byte[],byte[]>(); 
    String k1="[\"inventory\",{\"server\":\"shop\"}]"; m.put(k1.getBytes("UTF-8"), "{\"file\":\"binlog.000003\",\"pos\":157}".getBytes());
    m.put("[\"other\",{\"server\":\"x\"}]".getBytes(), null);
    System.out.println("map "+hex(m)); System.out.println("map_empty "+hex(new HashMap<byte[],byte[]>())); System.out.println("map_text "+hex(new HashMap<>(Map.of("a","b"))));
  }
}
