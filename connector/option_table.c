/* SPDX-License-Identifier: Apache-2.0 */
/*
 * option_table: the rows. Adding an option is adding a line here, and a member to struct config.
 *
 * Names, types and defaults are those of the Debezium MySQL connector 3.6.1, of Kafka Connect and of Debezium Server; keys that
 * begin with tidemark. are ours. A help sentence stands in the manual as it is here.
 */
#include "connector/config.h"
#include "connector/options.h"
#include "snapshot/incremental.h"

#include <limits.h>

/* Where a member is and how large. */
#define AT(member) (int)offsetof(struct config, member), sizeof(((struct config *)0)->member)
#define NOWHERE OPTION_NOT_STORED, 0

#define BOOL(name, group, fallback, member, help) \
    {name, group, OPTION_BOOL, TIER_OFFERED, fallback, 0, 0, NULL, false, AT(member), help}
#define NUMBER(name, group, type, fallback, low, high, member, help) \
    {name, group, type, TIER_OFFERED, fallback, low, high, NULL, false, AT(member), help}
#define CHOICE(name, group, fallback, choices, member, help) \
    {name, group, OPTION_ENUM, TIER_OFFERED, fallback, 0, 0, choices, false, AT(member), help}
#define CHECKED(name, group, fallback, choices, help) \
    {name, group, OPTION_ENUM, TIER_OFFERED, fallback, 0, 0, choices, false, NOWHERE, help}
#define VALUE(name, group, type, fallback, member, help) \
    {name, group, type, TIER_OFFERED, fallback, 0, 0, NULL, false, AT(member), help}
#define NEEDED(name, group, type, low, high, member, help) \
    {name, group, type, TIER_OFFERED, NULL, low, high, NULL, true, AT(member), help}
#define FAMILY(name, group, help) {name, group, OPTION_ANY, TIER_OFFERED, NULL, 0, 0, NULL, false, NOWHERE, help}
#define FIXED(name, group, type, fallback, help) \
    {name, group, type, TIER_FIXED, fallback, INT64_MIN, INT64_MAX, NULL, false, NOWHERE, help}
#define IGNORED(name, group, help) {name, group, OPTION_ANY, TIER_IGNORED, NULL, 0, 0, NULL, false, NOWHERE, help}
#define QUIET(name, group, help) {name, group, OPTION_ANY, TIER_QUIET, NULL, 0, 0, NULL, false, NOWHERE, help}
#define REFUSED(name, group, help) {name, group, OPTION_ANY, TIER_REFUSED, NULL, 0, 0, NULL, false, NOWHERE, help}

static const struct option_choice connector_classes[] = {
    {"io.debezium.connector.mysql.MySqlConnector", 0, NULL},
    {"MySqlConnector", 0, NULL},
    {"io.debezium.connector.mariadb.MariaDbConnector", 0, "tidemark follows MySQL, not MariaDB"},
    {NULL, 0, NULL},
};

static const char only_json[] = "only JSON is written (org.apache.kafka.connect.json.JsonConverter); "
                                "other formats are not offered yet";

static const struct option_choice converters[] = {
    {"org.apache.kafka.connect.json.JsonConverter", 0, NULL},
    {"JsonConverter", 0, NULL},
    {"io.confluent.connect.avro.AvroConverter", 0, only_json},
    {"io.apicurio.registry.utils.converter.AvroConverter", 0, only_json},
    {"io.confluent.connect.protobuf.ProtobufConverter", 0, only_json},
    {"io.confluent.connect.json.JsonSchemaConverter", 0, only_json},
    {"io.debezium.converters.CloudEventsConverter", 0, only_json},
    {"io.debezium.converters.ByteArrayConverter", 0, only_json},
    {"io.debezium.converters.BinaryDataConverter", 0, only_json},
    {"org.apache.kafka.connect.converters.ByteArrayConverter", 0, only_json},
    {"org.apache.kafka.connect.storage.StringConverter", 0, only_json},
    {NULL, 0, NULL},
};

static const struct option_choice header_converters[] = {
    {"org.apache.kafka.connect.storage.SimpleHeaderConverter", 0, NULL},
    {"org.apache.kafka.connect.storage.StringConverter", 0, NULL},
    {"SimpleHeaderConverter", 0, NULL},
    {"StringConverter", 0, NULL},
    {"org.apache.kafka.connect.json.JsonConverter", 0,
     "headers are written as plain text; hint: leave it out, or set extended.headers.enabled=false"},
    {NULL, 0, NULL},
};

static const struct option_choice decimal_formats[] = {
    {"BASE64", 0, NULL},
    {"NUMERIC", 0, "only BASE64 is offered yet; hint: decimal.handling.mode=string or double gives readable numbers"},
    {NULL, 0, NULL},
};

static const struct option_choice tls_modes[] = {
    {"disabled", SOURCE_TLS_DISABLED, NULL},
    {"preferred", SOURCE_TLS_PREFERRED, NULL},
    {"required", SOURCE_TLS_REQUIRED, NULL},
    {"verify_ca", SOURCE_TLS_VERIFY_CA, NULL},
    {"verify_identity", SOURCE_TLS_VERIFY_IDENTITY, NULL},
    {NULL, 0, NULL},
};

static const struct option_choice snapshot_modes[] = {
    {"initial", SNAPSHOT_MODE_INITIAL, NULL},
    {"initial_only", SNAPSHOT_MODE_INITIAL_ONLY, NULL},
    {"no_data", SNAPSHOT_MODE_NO_DATA, NULL},
    {"when_needed", SNAPSHOT_MODE_WHEN_NEEDED, NULL},
    {"always", SNAPSHOT_MODE_ALWAYS, NULL},
    {"recovery", SNAPSHOT_MODE_RECOVERY, NULL},
    {"configuration_based", 0, "is not offered yet; the other modes say the same in one word"},
    {"custom", 0, "needs a Java class; initial, no_data and when_needed are the nearest"},
    {"never", 0, "has no replacement; no_data reads no rows either"},
    {NULL, 0, NULL},
};

static const struct option_choice query_modes[] = {
    {"select_all", 0, NULL},
    {"custom", 0, "needs a Java class; hint: snapshot.include.collection.list chooses the tables"},
    {NULL, 0, NULL},
};

static const struct option_choice decimal_modes[] = {
    {"precise", DECIMAL_PRECISE, NULL},
    {"double", DECIMAL_DOUBLE, NULL},
    {"string", DECIMAL_STRING, NULL},
    {NULL, 0, NULL},
};

static const struct option_choice bigint_modes[] = {
    {"long", BIGINT_LONG, NULL},
    {"precise", BIGINT_PRECISE, NULL},
    {NULL, 0, NULL},
};

static const struct option_choice time_modes[] = {
    {"adaptive_time_microseconds", TIME_ADAPTIVE_MICROS, NULL},
    {"connect", TIME_CONNECT, NULL},
    {"isostring", TIME_ISOSTRING, NULL},
    {"microseconds", TIME_MICROS, NULL},
    {"nanoseconds", TIME_NANOS, NULL},
    {"adaptive", 0, "adaptive isn't there for MySQL; adaptive_time_microseconds is the nearest"},
    {NULL, 0, NULL},
};

static const struct option_choice binary_modes[] = {
    {"bytes", BINARY_BYTES, NULL},
    {"base64", BINARY_BASE64, NULL},
    {"base64-url-safe", BINARY_BASE64_URL_SAFE, NULL},
    {"hex", BINARY_HEX, NULL},
    {NULL, 0, NULL},
};

static const struct option_choice adjust_modes[] = {
    {"none", ADJUST_NONE, NULL},
    {"avro", ADJUST_AVRO, NULL},
    {"avro_unicode", ADJUST_AVRO_UNICODE, NULL},
    {NULL, 0, NULL},
};

static const struct option_choice tolerances[] = {
    {"none", 0, NULL},
    {"all", 1, NULL},
    {NULL, 0, NULL},
};

static const struct option_choice failure_modes[] = {
    {"fail", FAILURE_FAIL, NULL},
    {"warn", FAILURE_WARN, NULL},
    {"skip", FAILURE_SKIP, NULL},
    {"ignore", FAILURE_SKIP, NULL},
    {NULL, 0, NULL},
};

static const struct option_choice converting_modes[] = {
    {"fail", FAILURE_FAIL, NULL},
    {"warn", FAILURE_WARN, NULL},
    {"skip", FAILURE_SKIP, NULL},
    {NULL, 0, NULL},
};

static const struct option_choice naming_strategies[] = {
    {"io.debezium.schema.DefaultTopicNamingStrategy", 0, NULL},
    {"DefaultTopicNamingStrategy", 0, NULL},
    {NULL, 0, NULL},
};

static const struct option_choice exactly_once_modes[] = {
    {"requested", EXACTLY_ONCE_REQUESTED, NULL},
    {"required", EXACTLY_ONCE_REQUIRED, NULL},
    {"disabled", EXACTLY_ONCE_DISABLED, NULL},
    {NULL, 0, NULL},
};

static const char store_later[] = "offsets are kept in a Kafka topic or a file; other stores are not offered";

static const struct option_choice offset_stores[] = {
    {"org.apache.kafka.connect.storage.KafkaOffsetBackingStore", OFFSET_STORAGE_KAFKA, NULL},
    {"org.apache.kafka.connect.storage.FileOffsetBackingStore", OFFSET_STORAGE_FILE, NULL},
    {"kafka", OFFSET_STORAGE_KAFKA, NULL},
    {"file", OFFSET_STORAGE_FILE, NULL},
    {"org.apache.kafka.connect.storage.MemoryOffsetBackingStore", 0, store_later},
    {"io.debezium.storage.redis.offset.RedisOffsetBackingStore", 0, store_later},
    {"io.debezium.storage.jdbc.offset.JdbcOffsetBackingStore", 0, store_later},
    {NULL, 0, NULL},
};

static const struct option_choice log_levels[] = {
    {"error", LOG_ERROR, NULL}, {"warn", LOG_WARN, NULL}, {"info", LOG_INFO, NULL},
    {"debug", LOG_DEBUG, NULL}, {NULL, 0, NULL},
};

static const struct option_choice log_formats[] = {{"text", 0, NULL}, {"json", 1, NULL}, {NULL, 0, NULL}};

static const struct option_choice sinks[] = {{"kafka", 0, NULL}, {NULL, 0, NULL}};

/* Reasons that several rows share: the keys that are written are told together, once for each reason. */
static const char java_only[] = "This means something only inside of a Java process.";
static const char no_jdbc[] = "There is no JDBC driver here; the MySQL client library is used.";
static const char in_chunks[] =
    "Tables are read in chunks beside the stream (`incremental.snapshot.chunk.size`), without a "
    "lock or a long transaction.";
static const char no_overrides[] =
    "A SELECT of one's own is not offered yet, and leaving it out would publish rows that it was to leave out.";
static const char no_locks[] = "Nothing is ever locked on the source.";
static const char no_history[] = "Shapes of tables are kept in a topic of tidemark's own, not in a schema history.";
static const char commits_decide[] = "When records leave is decided by the commit rhythm (`tidemark.commit.*`), and "
                                     "memory is bounded by `max.queue.size.in.bytes`.";
static const char no_pages[] =
    "Topics that are missing are created by the broker with its own defaults; create them before to have others.";
static const char masks[] =
    "Masking, hashing and cutting columns is not offered yet, and leaving it out would publish what was to be hidden.";
static const char no_heartbeat[] = "Heartbeat records are not offered yet.";
static const char no_transactions[] = "Transaction records are not offered yet.";
static const char restarts[] = "A connection that breaks is made again for as long as it takes.";
static const char own_offsets[] = "Offsets are stored with the records, in the same Kafka transaction.";
static const char other_store[] = "It belongs to a store that isn't offered.";

static const struct option rows[] = {
    /* ---- the connector ---- */
    VALUE("name", GROUP_CONNECTOR, OPTION_TEXT, NULL, name,
          "What this instance is called; part of the key of its offsets and of its transactional id. Unset, it is "
          "`topic.prefix`."),
    CHECKED("connector.class", GROUP_CONNECTOR, NULL, connector_classes,
            "Checked, so that a file of another connector isn't run by mistake."),
    NEEDED("topic.prefix", GROUP_CONNECTOR, OPTION_NAME, 0, 0, record.topic_prefix,
           "The logical name of the server: topics, schema names and offsets begin with it. Changing it starts a new "
           "life without offsets."),
    CHOICE("snapshot.mode", GROUP_CONNECTOR, "initial", snapshot_modes, snapshot_mode,
           "What the first start does with the rows that are there: `initial` reads them beside the stream, "
           "`initial_only` reads "
           "them and ends, `no_data` streams from the log's end on. `when_needed` reads them again when the log that "
           "was needed next is gone, `always` at every start. `recovery` goes on where it was with the shapes that the "
           "server shows."),
    QUIET("tasks.max", GROUP_CONNECTOR, "One process is one task."),
    QUIET("tasks.max.enforce", GROUP_CONNECTOR, "One process is one task."),

    /* ---- the source ---- */
    NEEDED("database.hostname", GROUP_SOURCE, OPTION_HOST, 0, 0, source.host,
           "Host name or address of the MySQL server whose binary log is followed."),
    NUMBER("database.port", GROUP_SOURCE, OPTION_INT, "3306", 1, 65535, source.port, "Its TCP port."),
    NEEDED("database.user", GROUP_SOURCE, OPTION_TEXT, 0, 0, source.user,
           "Login name. SELECT, REPLICATION SLAVE and REPLICATION CLIENT are enough."),
    VALUE("database.password", GROUP_SOURCE, OPTION_SECRET, NULL, source.password,
          "Its password, best written as `${env:NAME}` or `${file:PATH:key}`."),
    NEEDED("database.server.id", GROUP_SOURCE, OPTION_INT, 1, UINT32_MAX, source.server_id,
           "Our server id as a replica; no other server or client of the source may have it."),
    NUMBER("connect.timeout.ms", GROUP_SOURCE, OPTION_MS, "30000", 1, INT_MAX, source.connect_timeout_ms,
           "How long opening a connection may take."),
    BOOL("connect.keep.alive", GROUP_SOURCE, "true", keep_alive,
         "Whether a silent connection to the log is taken for dead and made again."),
    NUMBER("connect.keep.alive.interval.ms", GROUP_SOURCE, OPTION_MS, "60000", 1, INT_MAX, keep_alive_ms,
           "How long the log may be silent. The server is asked for a heartbeat after a tenth of it, at the latest "
           "every 5 s."),
    NUMBER("database.query.timeout.ms", GROUP_SOURCE, OPTION_MS, "600000", 0, INT_MAX, source.query_timeout_ms,
           "How long a statement may run; 0 is without limit."),
    NUMBER("binlog.net.write.timeout", GROUP_SOURCE, OPTION_SECONDS, "0", 0, 31536000, source.net_write_timeout_s,
           "net_write_timeout of the session that reads the log; 0 lets tidemark choose one long enough for "
           "back-pressure."),
    NUMBER("binlog.net.read.timeout", GROUP_SOURCE, OPTION_SECONDS, "0", 0, 31536000, source.net_read_timeout_s,
           "net_read_timeout of that session; 0 is the server's own."),
    FIXED("gtid.ignore.on.recovery", GROUP_SOURCE, OPTION_BOOL, "false",
          "Going on by log file and offset where GTIDs are stored is not offered yet."),
    {"read.only", GROUP_SOURCE, OPTION_BOOL, TIER_OFFERED, "false", 0, 0, NULL, false, NOWHERE,
     "Either value is accepted: tidemark never writes to the source."},
    VALUE("database.initial.statements", GROUP_SOURCE, OPTION_TEXT, NULL, initial_statements,
          "Statements for each new connection, separated by `;` (`;;` is a semicolon), such as `SET SESSION "
          "wait_timeout=2000`. "
          "Not run where the log is read. They must not write: tidemark's promise not to touch the source ends where "
          "they begin."),
    REFUSED("gtid.source.includes", GROUP_SOURCE, "Choosing transactions by their source's UUID is not offered yet."),
    REFUSED("gtid.source.excludes", GROUP_SOURCE, "Choosing transactions by their source's UUID is not offered yet."),
    QUIET("gtid.source.filter.dml.events", GROUP_SOURCE,
          "Choosing transactions by their source's UUID is not offered yet."),
    QUIET("database.server.id.offset", GROUP_SOURCE, java_only),
    QUIET("database.jdbc.driver", GROUP_SOURCE, no_jdbc),
    QUIET("database.protocol", GROUP_SOURCE, no_jdbc),
    QUIET("database.connectionTimeZone", GROUP_SOURCE,
          "TIMESTAMP values are read as UTC, from the log and from queries."),
    QUIET("database.dbname", GROUP_SOURCE, "It belongs to other connectors."),
    IGNORED("database.*", GROUP_SOURCE, no_jdbc),
    IGNORED("driver.*", GROUP_SOURCE, no_jdbc),
    QUIET("connection.validation.timeout.ms", GROUP_SOURCE, "`connect.timeout.ms` bounds it."),
    QUIET("use.nongraceful.disconnect", GROUP_SOURCE, java_only),

    /* ---- TLS to the source ---- */
    CHOICE("database.ssl.mode", GROUP_TLS, "preferred", tls_modes, source.tls,
           "`required` and `preferred` check the server's certificate as soon as `database.ssl.truststore` is set; "
           "`verify_identity` compares its host name too."),
    VALUE("database.ssl.truststore", GROUP_TLS, OPTION_TEXT, NULL, source.truststore,
          "File with the certificates of the authorities trusted for the server: PEM or PKCS12. "
          "A Java keystore (JKS) is converted by `keytool -importkeystore -deststoretype pkcs12`."),
    VALUE("database.ssl.truststore.password", GROUP_TLS, OPTION_SECRET, NULL, source.truststore_password,
          "Password of a PKCS12 truststore."),
    VALUE("database.ssl.keystore", GROUP_TLS, OPTION_TEXT, NULL, source.keystore,
          "File with our client certificate and its private key: PEM or PKCS12."),
    VALUE("database.ssl.keystore.password", GROUP_TLS, OPTION_SECRET, NULL, source.keystore_password,
          "Password of a PKCS12 keystore or of an encrypted PEM key."),

    /* ---- filters ---- */
    VALUE("database.include.list", GROUP_FILTERS, OPTION_REGEXES, NULL, filter.database_include,
          "Databases that are captured."),
    VALUE("database.exclude.list", GROUP_FILTERS, OPTION_REGEXES, NULL, filter.database_exclude,
          "Databases that are not captured. Not together with `database.include.list`."),
    VALUE("table.include.list", GROUP_FILTERS, OPTION_REGEXES, NULL, filter.table_include,
          "Tables that are captured, as `db.table`, among those of the captured databases."),
    VALUE("table.exclude.list", GROUP_FILTERS, OPTION_REGEXES, NULL, filter.table_exclude,
          "Tables that are not captured. Not together with `table.include.list`."),
    VALUE("column.include.list", GROUP_FILTERS, OPTION_REGEXES, NULL, filter.column_include,
          "Columns that are written, as `db.table.column`. Key columns stay in the key. A blank list writes none."),
    VALUE("column.exclude.list", GROUP_FILTERS, OPTION_REGEXES, NULL, filter.column_exclude,
          "Columns that are not written. Key columns stay in the key. Not together with `column.include.list`."),
    FIXED("table.ignore.builtin", GROUP_FILTERS, OPTION_BOOL, "true",
          "`mysql`, `information_schema`, `performance_schema` and `sys` are never captured."),
    VALUE("skipped.operations", GROUP_FILTERS, OPTION_OPERATIONS, "t", record.skipped_ops,
          "Operations that give no record: `c` insert, `u` update, `d` delete, `t` truncate, `r` read; `none` skips "
          "nothing."),
    BOOL("skip.messages.without.change", GROUP_FILTERS, "false", record.skip_unchanged,
         "Whether an update that changes no captured column gives no record."),
    REFUSED("column.truncate.to.*", GROUP_FILTERS, masks),
    REFUSED("column.mask.*", GROUP_FILTERS, masks),
    REFUSED("schema.include.list", GROUP_FILTERS,
            "It belongs to other databases: MySQL has no schemas, nothing would match."),
    IGNORED("schema.exclude.list", GROUP_FILTERS, "It belongs to other databases: MySQL has no schemas."),

    /* ---- records ---- */
    BOOL("tombstones.on.delete", GROUP_RECORDS, "true", record.tombstones,
         "Whether a record without value follows each delete."),
    BOOL("extended.headers.enabled", GROUP_RECORDS, "true", record.headers,
         "Whether records of rows and schema changes carry the four `__debezium.context.*` headers."),
    BOOL("include.query", GROUP_RECORDS, "false", record.include_query,
         "Whether `source.query` has the statement; needs `binlog_rows_query_log_events=ON` on the server."),
    BOOL("include.schema.changes", GROUP_RECORDS, "true", record.schema_changes,
         "Whether schema changes are written to the topic named `topic.prefix`."),
    BOOL("include.schema.comments", GROUP_RECORDS, "false", record.schema_comments,
         "Whether comments of tables and columns are written with schema changes."),
    VALUE("message.key.columns", GROUP_RECORDS, OPTION_KEYS, NULL, filter.key_rules,
          "Columns of the record key in place of the primary key: `db.table:column,column;…`, tables and columns as "
          "regular expressions."),
    CHECKED("key.converter", GROUP_RECORDS, NULL, converters, "How keys are written: JSON."),
    CHECKED("value.converter", GROUP_RECORDS, NULL, converters, "How values are written: JSON."),
    CHECKED("header.converter", GROUP_RECORDS, NULL, header_converters, "How headers are written: as plain text."),
    BOOL("key.converter.schemas.enable", GROUP_RECORDS, "true", record.key_schemas,
         "Whether each key carries its schema."),
    BOOL("value.converter.schemas.enable", GROUP_RECORDS, "true", record.value_schemas,
         "Whether each value carries its schema, several kilobytes in each record; with it, "
         "`producer.override.compression.type=lz4` pays."),
    BOOL("key.converter.replace.null.with.default", GROUP_RECORDS, "true", record.key_null_default,
         "Whether NULL in a key column that has a default is written as that default."),
    BOOL("value.converter.replace.null.with.default", GROUP_RECORDS, "true", record.value_null_default,
         "Whether NULL in a column that has a default is written as that default: `true` hides NULLs."),
    CHECKED("key.converter.decimal.format", GROUP_RECORDS, "BASE64", decimal_formats,
            "How DECIMAL is written in keys under `decimal.handling.mode=precise`."),
    CHECKED("value.converter.decimal.format", GROUP_RECORDS, "BASE64", decimal_formats,
            "How DECIMAL is written in values under `decimal.handling.mode=precise`."),
    QUIET("key.converter.schemas.cache.size", GROUP_RECORDS, java_only),
    QUIET("value.converter.schemas.cache.size", GROUP_RECORDS, java_only),
    QUIET("header.converter.*", GROUP_RECORDS, "Headers are written as plain text."),
    CHOICE("schema.name.adjustment.mode", GROUP_RECORDS, "none", adjust_modes, record.schema_name_adjust,
           "How names of schemas are made fit for Avro."),
    CHOICE("field.name.adjustment.mode", GROUP_RECORDS, "none", adjust_modes, record.field_name_adjust,
           "How names of fields are made fit for Avro."),
    FIXED("provide.transaction.metadata", GROUP_RECORDS, OPTION_BOOL, "false", no_transactions),
    QUIET("topic.transaction", GROUP_RECORDS, no_transactions),
    QUIET("transaction.metadata.factory", GROUP_RECORDS, no_transactions),
    FIXED("heartbeat.interval.ms", GROUP_RECORDS, OPTION_MS, "0", no_heartbeat),
    QUIET("topic.heartbeat.prefix", GROUP_RECORDS, no_heartbeat),
    QUIET("topic.heartbeat.name", GROUP_RECORDS, no_heartbeat),
    REFUSED("heartbeat.action.query", GROUP_RECORDS, "Nothing is ever written to the source."),
    REFUSED("transforms", GROUP_RECORDS,
            "Transforms are not offered yet, and leaving one out could publish what it was to hide."),
    QUIET("transforms.*", GROUP_RECORDS, "Read only when `transforms` names them."),
    QUIET("predicates", GROUP_RECORDS, "Read only by `transforms`."),
    QUIET("predicates.*", GROUP_RECORDS, "Read only by `transforms`."),
    REFUSED("post.processors", GROUP_RECORDS, "Post-processors are Java classes."),
    QUIET("post.processors.*", GROUP_RECORDS, "Read only when `post.processors` names them."),
    {"sourceinfo.struct.maker", GROUP_RECORDS, OPTION_TEXT, TIER_FIXED,
     "io.debezium.connector.mysql.MySqlSourceInfoStructMaker", 0, 0, NULL, false, NOWHERE,
     "The source block is always the MySQL connector's own."},

    /* ---- types ---- */
    CHOICE("decimal.handling.mode", GROUP_TYPES, "precise", decimal_modes, record.decimal_mode,
           "DECIMAL as unscaled bytes (`precise`, base64 in JSON), as `double`, or as `string`."),
    CHOICE("bigint.unsigned.handling.mode", GROUP_TYPES, "long", bigint_modes, record.bigint_mode,
           "BIGINT UNSIGNED as `long`, which wraps above 2^63-1, or as `precise` bytes."),
    CHOICE("time.precision.mode", GROUP_TYPES, "adaptive_time_microseconds", time_modes, record.time_mode,
           "How DATE, TIME, DATETIME and TIMESTAMP are written."),
    CHOICE("binary.handling.mode", GROUP_TYPES, "bytes", binary_modes, record.binary_mode,
           "How BINARY, VARBINARY, BLOB and the like are written."),
    BOOL("enable.time.adjuster", GROUP_TYPES, "true", record.time_adjuster,
         "Whether years of two digits become 1970 to 2069."),
    VALUE("column.propagate.source.type", GROUP_TYPES, OPTION_REGEXES, NULL, filter.propagated_columns,
          "Columns, as `db.table.column`, whose MySQL type, length and scale are written into their schema."),
    VALUE("datatype.propagate.source.type", GROUP_TYPES, OPTION_REGEXES, NULL, filter.propagated_types,
          "The same by type, as `db.table.TYPE`, such as `.+\\.VARCHAR`."),
    REFUSED("converters", GROUP_TYPES,
            "Converters of columns are Java classes; Debezium's own three are not offered yet."),
    QUIET("unavailable.value.placeholder", GROUP_TYPES, "The log has full rows: no value is unavailable."),

    /* ---- topics ---- */
    VALUE("topic.delimiter", GROUP_TOPICS, OPTION_NAME, ".", record.topic_delimiter,
          "Stands between prefix, database and table in a topic's name."),
    CHECKED("topic.naming.strategy", GROUP_TOPICS, "io.debezium.schema.DefaultTopicNamingStrategy", naming_strategies,
            "How topics are named: prefix, database, table."),
    QUIET("topic.cache.size", GROUP_TOPICS, java_only),
    QUIET("topic.regex", GROUP_TOPICS, "Read only by a naming strategy that isn't offered."),
    QUIET("topic.replacement", GROUP_TOPICS, "Read only by a naming strategy that isn't offered."),
    QUIET("topic.key.*", GROUP_TOPICS, "Read only by a naming strategy that isn't offered."),
    IGNORED("topic.creation.*", GROUP_TOPICS, no_pages),

    /* ---- Kafka ---- */
    VALUE("producer.override.bootstrap.servers", GROUP_KAFKA, OPTION_TEXT, NULL, kafka.producer_bootstrap,
          "The brokers, as `host:port,host:port`."),
    VALUE("bootstrap.servers", GROUP_KAFKA, OPTION_TEXT, NULL, kafka.worker_bootstrap,
          "The same, used when the key above isn't there; after it `schema.history.internal.kafka.bootstrap.servers`, "
          "then `signal.kafka.bootstrap.servers`."),
    CHOICE("exactly.once.support", GROUP_KAFKA, "requested", exactly_once_modes, kafka.exactly_once,
           "`requested`: records and offsets in one Kafka transaction, unless the cluster refuses transactions; "
           "`required`: refuse to run without; "
           "`disabled` (ours): at least once."),
    NUMBER("producer.override.max.request.size", GROUP_KAFKA, OPTION_BYTES, "1048576", 1000, 1000000000,
           kafka.message_max_bytes,
           "The largest record that is sent; brokers and topics have a limit of their own (`message.max.bytes`, "
           "`max.message.bytes`)."),
    NUMBER("producer.override.transaction.timeout.ms", GROUP_KAFKA, OPTION_MS, "60000", 1000, INT_MAX,
           kafka.transaction_timeout_ms, "After this long the broker ends a transaction that its owner has left open."),
    FAMILY("producer.override.*", GROUP_KAFKA,
           "Settings of the Kafka client by their Java names; which are applied, see below."),
    IGNORED("admin.override.*", GROUP_KAFKA, "All Kafka clients use the settings of `producer.override.*`."),
    IGNORED("consumer.override.*", GROUP_KAFKA, "All Kafka clients use the settings of `producer.override.*`."),
    CHECKED("debezium.sink.type", GROUP_KAFKA, NULL, sinks, "Debezium Server's target: only `kafka`."),
    QUIET("debezium.sink.kafka.*", GROUP_KAFKA,
          "Of the Kafka sink's settings only `debezium.sink.kafka.producer.*` is read."),
    NUMBER("max.queue.size.in.bytes", GROUP_KAFKA, OPTION_BYTES, "0", 0, INT64_MAX, queue_bytes,
           "The byte budget for all records on their way; full, the log is read no further. 0 is 33554432 (32 MiB)."),
    QUIET("max.queue.size", GROUP_KAFKA, "Memory is bounded by `max.queue.size.in.bytes`."),
    QUIET("max.batch.size", GROUP_KAFKA, "Memory is bounded by `max.queue.size.in.bytes`."),
    QUIET("poll.interval.ms", GROUP_KAFKA, "There is no polling: records leave as they come."),
    QUIET("queue.provider.type", GROUP_KAFKA, java_only),
    QUIET("transaction.boundary", GROUP_KAFKA, commits_decide),
    QUIET("transaction.boundary.interval.ms", GROUP_KAFKA, commits_decide),

    /* ---- offsets ---- */
    VALUE("offset.storage.topic", GROUP_OFFSETS, OPTION_NAME, "tidemark-offsets", kafka.offsets_topic,
          "The compacted topic that holds offsets, in Kafka Connect's format; several instances may share it. "
          "Shapes of tables are kept in the topic of this name with `-shapes` behind it."),
    CHOICE("offset.storage", GROUP_OFFSETS, NULL, offset_stores, kafka.storage,
           "Where offsets are kept. Unset: in a file when `offset.storage.file.filename` is set, else in the topic."),
    VALUE("offset.storage.file.filename", GROUP_OFFSETS, OPTION_TEXT, NULL, kafka.offsets_file,
          "A local file for offsets, for development: at least once, no standby. Debezium's own file has another "
          "format."),
    NUMBER("offset.storage.replication.factor", GROUP_OFFSETS, OPTION_INT, "-1", -1, 32767, kafka.state_replication,
           "Replicas of the topics that tidemark creates for its state; -1 is the broker's default."),
    QUIET("offset.storage.partitions", GROUP_OFFSETS, "Topics of state have one partition."),
    QUIET("offset.flush.interval.ms", GROUP_OFFSETS, own_offsets),
    QUIET("offset.flush.timeout.ms", GROUP_OFFSETS, own_offsets),
    QUIET("offset.commit.policy", GROUP_OFFSETS, own_offsets),
    QUIET("offset.storage.jdbc.*", GROUP_OFFSETS, other_store),
    QUIET("offset.storage.redis.*", GROUP_OFFSETS, other_store),
    QUIET("offset.storage.rocketmq.*", GROUP_OFFSETS, other_store),
    QUIET("offset.storage.configmap.*", GROUP_OFFSETS, other_store),

    /* ---- failures ---- */
    CHOICE("event.converting.failure.handling.mode", GROUP_FAILURES, "warn", converting_modes,
           record.converting_failure,
           "When a value can't be converted: `fail` ends the process, `warn` writes NULL and says so, `skip` writes "
           "NULL."),
    CHOICE("event.processing.failure.handling.mode", GROUP_FAILURES, "fail", failure_modes, processing_failure,
           "When an event can't be handled: `fail` ends the process with nothing past it stored; `warn` and `skip` "
           "leave it out and count it."),
    CHOICE("inconsistent.schema.handling.mode", GROUP_FAILURES, "fail", failure_modes, inconsistent_schema,
           "When rows come of a table whose shape isn't known: `fail` ends the process; `warn` and `skip` leave that "
           "table's rows out and count them."),
    NUMBER("errors.max.retries", GROUP_FAILURES, OPTION_INT, "-1", -1, INT_MAX, max_retries,
           "How often in a row the connection to MySQL is tried again before the process ends; -1: for ever."),
    NUMBER("errors.retry.delay.initial.ms", GROUP_FAILURES, OPTION_MS, "300", 1, 3600000, retry_first_ms,
           "The pause before the first of these tries; it doubles from try to try."),
    NUMBER("errors.retry.delay.max.ms", GROUP_FAILURES, OPTION_MS, "10000", 1, 3600000, retry_most_ms,
           "The longest pause between two of them."),
    QUIET("errors.retry.timeout", GROUP_FAILURES, restarts),
    QUIET("retriable.restart.connector.wait.ms", GROUP_FAILURES, restarts),
    CHOICE("errors.tolerance", GROUP_FAILURES, "none", tolerances, kafka.tolerates_errors,
           "When a record is wider than Kafka takes: `none` ends the process with nothing past it stored; `all` has it "
           "go to "
           "`errors.deadletterqueue.topic.name`."),
    VALUE("errors.deadletterqueue.topic.name", GROUP_FAILURES, OPTION_TEXT, NULL, kafka.dead_letter_topic,
          "The topic that takes those records: the key, the value where it fits there, and where it comes from as "
          "headers. "
          "Counts with `errors.tolerance=all` only."),
    QUIET("errors.log.enable", GROUP_FAILURES, "Failures are always logged, without the contents of records."),
    QUIET("errors.log.include.messages", GROUP_FAILURES,
          "Failures are always logged, without the contents of records."),
    QUIET("errors.deadletterqueue.topic.replication.factor", GROUP_FAILURES,
          "The topic is made by the broker, as those of tables are."),
    QUIET("errors.deadletterqueue.context.headers.enable", GROUP_FAILURES, "The headers are always there."),
    FIXED("guardrail.collections.max", GROUP_FAILURES, OPTION_INT, "0",
          "A limit on the number of tables is not offered yet."),
    QUIET("guardrail.collections.limit.action", GROUP_FAILURES, "A limit on the number of tables is not offered yet."),

    /* ---- our own ---- */
    CHOICE("tidemark.log.level", GROUP_TIDEMARK, "info", log_levels, log_level,
           "How much is logged on standard error."),
    CHOICE("tidemark.log.format", GROUP_TIDEMARK, "text", log_formats, log_as_json,
           "Log lines as text, or each as a JSON object."),
    BOOL("tidemark.config.strict", GROUP_TIDEMARK, "false", is_strict,
         "Whether a key that isn't known stops the start; else one line names them."),
    VALUE("tidemark.source.version", GROUP_TIDEMARK, OPTION_TEXT, "3.6.1.Final", record.source_version,
          "What `source.version` says in records: the version of Debezium whose format is written."),
    NUMBER("tidemark.commit.interval.ms", GROUP_TIDEMARK, OPTION_MS, "100", 1, 60000, commit_interval_ms,
           "Under steady load the time between commits."),
    NUMBER("tidemark.commit.dry.ms", GROUP_TIDEMARK, OPTION_MS, "0", 0, 60000, commit_dry_ms,
           "How long the input has to be dry before what came is committed; 5 ms more within a transaction or after a "
           "lot was sent."),
    NUMBER("tidemark.commit.pause.ms", GROUP_TIDEMARK, OPTION_MS, "5", 0, 60000, commit_pause_ms,
           "At least this long between two commits."),
    NUMBER("tidemark.offset.interval.ms", GROUP_TIDEMARK, OPTION_MS, "10000", 100, 3600000, position_interval_ms,
           "How often a position is stored that moved without records."),
    BOOL("tidemark.standby", GROUP_TIDEMARK, "false", is_standby,
         "Whether this is one of several instances with the same name, of which one runs and the others wait to take "
         "over. All "
         "of them must say so."),
    NUMBER("tidemark.standby.session.timeout.ms", GROUP_TIDEMARK, OPTION_MS, "10000", 1000, 1800000, standby_session_ms,
           "How long the running one may be out of touch with Kafka before another takes over; within the brokers' "
           "`group.min.session.timeout.ms` and `group.max.session.timeout.ms`."),
    NUMBER("tidemark.lookout.interval.ms", GROUP_TIDEMARK, OPTION_MS, "60000", 0, 86400000, lookout_ms,
           "How often the server is asked how far its log is ahead, and whether it will soon delete what is still "
           "needed; 0: "
           "never."),
    NUMBER("tidemark.liveness.timeout.ms", GROUP_TIDEMARK, OPTION_MS, "60000", 4000, 3600000, liveness_ms,
           "What gets nothing done is told after a quarter of this. After all of it a program whose loop hangs ends; a "
           "Kafka "
           "client is made anew this long after its transaction has timed out."),

    /* ---- snapshots ---- */
    QUIET("snapshot.locking.mode", GROUP_SNAPSHOT, no_locks),
    QUIET("snapshot.locking.mode.custom.name", GROUP_SNAPSHOT, no_locks),
    QUIET("snapshot.lock.timeout.ms", GROUP_SNAPSHOT, no_locks),
    NUMBER("snapshot.max.threads", GROUP_SNAPSHOT, OPTION_INT, "1", 1, INCREMENTAL_THREADS_MAX, snapshot_threads,
           "How many tables are read at the same time, each over a connection of its own."),
    VALUE("snapshot.include.collection.list", GROUP_SNAPSHOT, OPTION_REGEXES, NULL, filter.snapshot_include,
          "Of the captured tables those whose rows are read by an initial snapshot, as regexes on `db.table`; unset: "
          "all."),
    NUMBER("snapshot.delay.ms", GROUP_SNAPSHOT, OPTION_MS, "0", 0, INT_MAX, snapshot_delay_ms,
           "How long an initial snapshot waits before it reads the first row; the stream goes on meanwhile."),
    CHECKED("snapshot.query.mode", GROUP_SNAPSHOT, "select_all", query_modes, "How rows are chosen."),
    REFUSED("snapshot.select.statement.overrides", GROUP_SNAPSHOT, no_overrides),
    REFUSED("snapshot.select.statement.overrides.*", GROUP_SNAPSHOT, no_overrides),
    QUIET("snapshot.query.mode.custom.name", GROUP_SNAPSHOT, java_only),
    QUIET("snapshot.mode.custom.name", GROUP_SNAPSHOT, java_only),
    QUIET("snapshot.mode.configuration.based.*", GROUP_SNAPSHOT, "Read only by a mode that isn't offered."),
    QUIET("snapshot.fetch.size", GROUP_SNAPSHOT, in_chunks),
    QUIET("snapshot.max.threads.multiplier", GROUP_SNAPSHOT, in_chunks),
    QUIET("snapshot.max.threads.multiplier.*", GROUP_SNAPSHOT, in_chunks),
    QUIET("snapshot.tables.order.by.row.count", GROUP_SNAPSHOT, in_chunks),
    IGNORED("streaming.delay.ms", GROUP_SNAPSHOT, "The stream goes on while tables are read."),
    QUIET("legacy.snapshot.max.threads", GROUP_SNAPSHOT, in_chunks),
    QUIET("min.row.count.to.stream.results", GROUP_SNAPSHOT, in_chunks),
    NUMBER("incremental.snapshot.chunk.size", GROUP_SNAPSHOT, OPTION_INT, "1024", 1, 1000000, chunk_size,
           "How many rows a query of a snapshot reads at most."),
    QUIET("incremental.snapshot.allow.schema.changes", GROUP_SNAPSHOT, "Snapshots follow changes of shape."),
    QUIET("incremental.snapshot.watermarking.strategy", GROUP_SNAPSHOT, "Snapshots write nothing to the source."),
    NUMBER("tidemark.snapshot.rows.per.second", GROUP_TIDEMARK, OPTION_INT, "0", 0, INT_MAX, snapshot_rows_per_second,
           "At most so many rows a second are read by snapshots; 0: as fast as it goes."),
    BOOL("tidemark.snapshot.for.share", GROUP_TIDEMARK, "false", snapshot_for_share,
         "Without GTIDs a snapshot's rows must be read FOR SHARE, which takes short row locks on the source: only if "
         "this allows it."),

    /* ---- signals and notifications ---- */
    VALUE("signal.enabled.channels", GROUP_SIGNALS, OPTION_TEXT, "kafka", signal_channels,
          "Where signals come from: only `kafka`; without it in the list there are no signals."),
    VALUE("signal.kafka.topic", GROUP_SIGNALS, OPTION_TEXT, NULL, signal_topic,
          "The topic that signals are read from, of one partition; unset it is `topic.prefix` and `-signal`. It is "
          "created "
          "if it is missing."),
    VALUE("signal.kafka.groupId", GROUP_SIGNALS, OPTION_TEXT, NULL, signal_group,
          "A consumer group whose committed offset a first start goes on from, and to which a stop commits how far "
          "signals were executed, for those who come from Debezium with one of their own, or go back. Debezium's "
          "default, kafka-signal, is that of all connectors, and is left alone."),
    QUIET("signal.data.collection", GROUP_SIGNALS, "Signals are never read from a table."),
    VALUE("signal.kafka.bootstrap.servers", GROUP_SIGNALS, OPTION_TEXT, NULL, kafka.signal_bootstrap,
          "Brokers of the signal topic; also the last place where the address of the brokers is looked for."),
    FAMILY("signal.consumer.*", GROUP_SIGNALS,
           "Settings of the client that reads signals, by their Java names. Those of `producer.override.*` that are "
           "for all clients hold "
           "for it, too, where these don't say otherwise."),
    QUIET("signal.poll.interval.ms", GROUP_SIGNALS, "Signals are read as they come."),
    QUIET("signal.kafka.poll.timeout.ms", GROUP_SIGNALS, "Signals are read as they come."),
    QUIET("signal.file", GROUP_SIGNALS, "Signals are never read from a file."),
    VALUE("notification.enabled.channels", GROUP_SIGNALS, OPTION_TEXT, NULL, notification_channels,
          "Where the progress of snapshots is told: `sink` (a topic), `log`, or both. There is no `jmx`: it is passed "
          "by."),
    VALUE("notification.sink.topic.name", GROUP_SIGNALS, OPTION_TEXT, NULL, notification_topic,
          "The topic of the `sink` channel."),

    /* ---- schema history ---- */
    VALUE("schema.history.internal.kafka.bootstrap.servers", GROUP_HISTORY, OPTION_TEXT, NULL, kafka.history_bootstrap,
          "Often the only address of brokers in a file for Kafka Connect; used when no other is written."),
    BOOL("schema.history.internal.store.only.captured.databases.ddl", GROUP_HISTORY, "false",
         record.captured_databases_only,
         "Whether the topic of schema changes leaves out statements about databases that are not captured, such as "
         "`CREATE DATABASE`. Statements about single tables are told of captured tables only, whatever this says."),
    BOOL("schema.history.internal.store.only.captured.tables.ddl", GROUP_HISTORY, "false", record.captured_tables_only,
         "Whether the topic of schema changes leaves out all statements that change neither a captured table nor a "
         "captured database, such as `FLUSH TABLES`, `CREATE INDEX` or `ALTER DATABASE`."),
    QUIET("schema.history.internal", GROUP_HISTORY, no_history),
    QUIET("schema.history.internal.*", GROUP_HISTORY, no_history),
    QUIET("internal.schema.history.internal.*", GROUP_HISTORY, no_history),
    QUIET("ddl.parser.type", GROUP_HISTORY, java_only),

    /* ---- the runtime ---- */
    QUIET("binlog.buffer.size", GROUP_RUNTIME,
          "Transactions that were rolled back are not in the log of the tables we follow."),
    QUIET("query.fetch.size", GROUP_RUNTIME, java_only),
    QUIET("connector.plugin.version", GROUP_RUNTIME, java_only),
    QUIET("key.converter.plugin.version", GROUP_RUNTIME, java_only),
    QUIET("value.converter.plugin.version", GROUP_RUNTIME, java_only),
    QUIET("config.action.reload", GROUP_RUNTIME, "The file, and what it refers to, is read at start."),
    QUIET("config.providers", GROUP_RUNTIME, "`${env:…}`, `${file:…}` and `${directory:…}` are always there."),
    QUIET("config.providers.*", GROUP_RUNTIME, "`${env:…}`, `${file:…}` and `${directory:…}` are always there."),
    QUIET("executor.shutdown.timeout.ms", GROUP_RUNTIME, java_only),
    QUIET("custom.sanitize.pattern", GROUP_RUNTIME, "Values of passwords, keys and the like are never logged."),
    QUIET("custom.metric.tags", GROUP_RUNTIME, java_only),
    QUIET("statistics.metrics.enabled", GROUP_RUNTIME, java_only),
    QUIET("memory.management.*", GROUP_RUNTIME, java_only),
    QUIET("openlineage.*", GROUP_RUNTIME, "Lineage is not reported."),
    QUIET("test.disable.global.locking", GROUP_RUNTIME, no_locks),
    QUIET("record.processing.*", GROUP_RUNTIME, java_only),
    QUIET("internal.*", GROUP_RUNTIME, java_only),
    QUIET("debezium.*", GROUP_RUNTIME, java_only),
    QUIET("quarkus.*", GROUP_RUNTIME, java_only),
};

const struct option *option_at(size_t i)
{
    return i < sizeof rows / sizeof *rows ? &rows[i] : NULL;
}

const char *option_group_name(enum option_group group)
{
    static const char *const names[GROUP_COUNT] = {
        [GROUP_CONNECTOR] = "Connector",
        [GROUP_SOURCE] = "Source",
        [GROUP_TLS] = "TLS to the source",
        [GROUP_FILTERS] = "What is captured",
        [GROUP_RECORDS] = "Records",
        [GROUP_TYPES] = "Column types",
        [GROUP_TOPICS] = "Topics",
        [GROUP_KAFKA] = "Kafka",
        [GROUP_OFFSETS] = "Offsets",
        [GROUP_FAILURES] = "Failures",
        [GROUP_TIDEMARK] = "tidemark's own",
        [GROUP_SNAPSHOT] = "Snapshots",
        [GROUP_SIGNALS] = "Signals and notifications",
        [GROUP_HISTORY] = "Schema history",
        [GROUP_RUNTIME] = "Java runtime",
    };
    return names[group];
}
