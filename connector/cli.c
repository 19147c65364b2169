/* SPDX-License-Identifier: Apache-2.0 */
#include "connector/cli.h"

#include "base/fail.h"
#include "connector/check.h"
#include "connector/config.h"
#include "connector/connector.h"
#include "connector/offsets_export.h"
#include "connector/offsets_import.h"
#include "connector/offsets_set.h"
#include "connector/offsets_show.h"
#include "connector/offsets_skip.h"
#include "connector/options.h"
#include "connector/signal_command.h"
#include "connector/signal_trial.h"

#include <stdio.h>
#include <string.h>

enum { EXIT_DONE = 0, EXIT_USAGE = FAIL_AREA_CONFIG };

typedef int (*offsets_fn)(const struct config *cfg, const struct offsets_options *opt, struct buf *out,
                          struct fail *why);

/* What stands behind the sub-command's name. */
struct call {
    const char *file; /* NULL when the command takes none */
    bool as_json;
    bool as_markdown;
    bool is_online;
    bool waits;
    bool is_blocking;
    bool is_dry;
    const char *tables;
    const char *filter;
    const char *surrogate;
    const char *id;
    const char *message;
    struct offsets_options offsets;
    offsets_fn change; /* of the offsets; NULL: none */
};

enum takes {
    TAKES_FILE = 1,
    TAKES_JSON = 2,
    TAKES_MARKDOWN = 4,
    TAKES_ONLINE = 8,
    TAKES_TABLES = 16,
    TAKES_ROWS = 32, /* which rows, and in which order */
    TAKES_ID = 64,
    TAKES_WAIT = 128,
    TAKES_MESSAGE = 256,
    TAKES_DRY = 512,
    TAKES_FENCE = 16384,                    /* an instance that runs is no reason to stop */
    TAKES_CHANGE = TAKES_DRY | TAKES_FENCE, /* the stored position is moved */
    TAKES_PLACE = 1024,                     /* a place in the log */
    TAKES_FROM = 2048,
    TAKES_TO = 4096,
    TAKES_HISTORY = 8192, /* what Debezium has: a name, a schema history */
};

struct command {
    const char *name;  /* one word or two */
    const char *usage; /* what stands behind the name */
    const char *help;
    unsigned takes; /* bits of enum takes */
    int (*run)(const struct call *call);
};

static int report(const struct fail *why)
{
    log_fail(LOG_ERROR, "tidemark", why);
    return why->area == 0 ? FAIL_AREA_SYSTEM : (int)why->area;
}

static int put_out(struct buf *text)
{
    bool ok = fwrite(text->start, 1, buf_size(text), stdout) == buf_size(text) && fflush(stdout) == 0;
    buf_fini(text);
    return ok ? EXIT_DONE : FAIL_AREA_SYSTEM;
}

/* ---- the commands ---- */

static int run(const struct call *call)
{
    struct fail why;
    struct config *cfg = config_load(call->file, &why);
    if (cfg == NULL)
        return report(&why);
    int code = connector_run(cfg);
    config_free(&cfg);
    return code;
}

typedef int (*report_fn)(const struct call *call, const struct config *cfg, struct buf *out, struct fail *why);

static int print_report(const struct call *call, report_fn print)
{
    struct fail why = {0};
    struct config *cfg = config_load(call->file, &why);
    if (cfg == NULL)
        return report(&why);
    struct buf text;
    buf_init(&text);
    int code = print(call, cfg, &text, &why);
    if (why.kind != FAIL_NONE)
        log_fail(LOG_ERROR, "tidemark", &why);
    int written = put_out(&text);
    config_free(&cfg);
    return code != EXIT_DONE ? code : written;
}

static int print_offsets(const struct call *call, const struct config *cfg, struct buf *out, struct fail *why)
{
    return offsets_show(cfg, call->as_json, out, why);
}

static int show_offsets(const struct call *call)
{
    return print_report(call, print_offsets);
}

static int print_change(const struct call *call, const struct config *cfg, struct buf *out, struct fail *why)
{
    struct offsets_options opt = call->offsets;
    opt.as_json = call->as_json;
    opt.is_dry = call->is_dry;
    return call->change(cfg, &opt, out, why);
}

static int change_offsets(const struct call *call, offsets_fn change)
{
    struct call whole = *call;
    whole.change = change;
    return print_report(&whole, print_change);
}

static int set_offsets(const struct call *call)
{
    return change_offsets(call, offsets_set);
}

static int skip_transaction(const struct call *call)
{
    return change_offsets(call, offsets_skip);
}

static int reset_offsets(const struct call *call)
{
    return change_offsets(call, offsets_reset);
}

static int export_offsets(const struct call *call)
{
    return change_offsets(call, offsets_export);
}

static int import_offsets(const struct call *call)
{
    return change_offsets(call, offsets_import);
}

static int check(const struct call *call)
{
    struct fail why;
    struct buf text;
    buf_init(&text);
    int code = check_file(call->file, call->as_json, call->is_online, &text, &why);
    if (why.kind != FAIL_NONE)
        log_fail(LOG_ERROR, "tidemark", &why);
    int written = put_out(&text);
    return code != EXIT_DONE ? code : written;
}

static int config(const struct call *call)
{
    struct buf text;
    buf_init(&text);
    if (call->as_markdown)
        options_print_markdown(&text);
    else if (call->as_json)
        options_print_json(&text);
    else
        options_print(&text);
    return put_out(&text);
}

static struct signal_request request_of(const struct call *call, const char *type)
{
    return (struct signal_request){type,     call->tables,  call->filter,      call->surrogate,
                                   call->id, call->message, call->is_blocking, call->waits};
}

static int send_signal(const struct call *call, const char *type)
{
    struct fail why = {0};
    if (call->tables != NULL && call->tables[0] == '\0') {
        fputs("tidemark: --tables names none; leave it out where all are meant\n", stderr);
        return EXIT_USAGE;
    }
    struct config *cfg = config_load(call->file, &why);
    if (cfg == NULL)
        return report(&why);
    const struct signal_request request = request_of(call, type);
    int code = signal_command(cfg, &request, &why);
    if (why.kind != FAIL_NONE)
        log_fail(LOG_ERROR, "tidemark", &why);
    config_free(&cfg);
    return code;
}

static int print_trial(const struct call *call, const struct config *cfg, struct buf *out, struct fail *why)
{
    const struct signal_request request = request_of(call, "execute-snapshot");
    return signal_trial(cfg, &request, call->as_json, out, why);
}

static int signal_execute(const struct call *call)
{
    if (call->tables == NULL) {
        fputs("tidemark: which tables: --tables 'shop\\.orders,shop\\.items'\n", stderr);
        return EXIT_USAGE;
    }
    if (call->is_dry && call->is_blocking) {
        fputs("tidemark: --dry-run tells what chunks of an incremental snapshot would read: leave out --blocking\n",
              stderr);
        return EXIT_USAGE;
    }
    return call->is_dry ? print_report(call, print_trial) : send_signal(call, "execute-snapshot");
}

static int signal_stop(const struct call *call)
{
    return send_signal(call, "stop-snapshot");
}

static int signal_pause(const struct call *call)
{
    return send_signal(call, "pause-snapshot");
}

static int signal_resume(const struct call *call)
{
    return send_signal(call, "resume-snapshot");
}

static int signal_log_line(const struct call *call)
{
    return send_signal(call, "log");
}

static int print_status(const struct call *call, const struct config *cfg, struct buf *out, struct fail *why)
{
    return signal_status(cfg, call->as_json, out, why);
}

static int status(const struct call *call)
{
    return print_report(call, print_status);
}

static int help(const struct call *call);
static int help_exit_codes(const struct call *call);

static const struct command commands[] = {
    {"run", "FILE", "follow the source and write its changes to Kafka until told to stop", TAKES_FILE, run},
    {"check", "FILE [--online] [--json]", "tell what is wrong with the configuration; online, ask both servers",
     TAKES_FILE | TAKES_ONLINE | TAKES_JSON, check},
    {"offsets show", "FILE [--json]", "the stored position, and how far the source is ahead", TAKES_FILE | TAKES_JSON,
     show_offsets},
    {"offsets set", "FILE --gtid SET | --file F --pos N | --timestamp T | --now [--dry-run] [--fence] [--json]",
     "go on elsewhere in the log: behind a GTID set, at a position, at a time, at its end",
     TAKES_FILE | TAKES_JSON | TAKES_CHANGE | TAKES_PLACE, set_offsets},
    {"offsets skip", "FILE [--dry-run] [--fence] [--json]", "go on behind the next transaction, and show what is in it",
     TAKES_FILE | TAKES_JSON | TAKES_CHANGE, skip_transaction},
    {"offsets reset", "FILE [--dry-run] [--fence] [--json]",
     "forget the stored position: the next start is a first one", TAKES_FILE | TAKES_JSON | TAKES_CHANGE,
     reset_offsets},
    {"offsets export",
     "FILE [--to F] [--to-file-store F] [--to-topic T] [--name C] [--history-topic T] [--dry-run] [--fence]",
     "the position for Debezium: as JSON for Connect's REST, as a file, into a topic",
     TAKES_FILE | TAKES_CHANGE | TAKES_TO | TAKES_HISTORY, export_offsets},
    {"offsets import",
     "FILE --from-topic T | --from-path F [--name C] [--history-topic T] [--dry-run] [--fence] [--json]",
     "take over the position of a Debezium connector, its snapshot and its shapes",
     TAKES_FILE | TAKES_JSON | TAKES_CHANGE | TAKES_FROM | TAKES_HISTORY, import_offsets},
    {"signal execute-snapshot",
     "FILE --tables PATTERN,… [--where SQL] [--surrogate-key COLUMN] [--blocking] [--id ID] [--wait | --dry-run "
     "[--json]]",
     "have tables read again beside the stream; dry: which those are, and what would be refused",
     TAKES_FILE | TAKES_TABLES | TAKES_ROWS | TAKES_ID | TAKES_WAIT | TAKES_DRY | TAKES_JSON, signal_execute},
    {"signal stop", "FILE [--tables PATTERN,…] [--id ID]", "give tables up, or all",
     TAKES_FILE | TAKES_TABLES | TAKES_ID, signal_stop},
    {"signal pause", "FILE [--id ID]", "read nothing more for now", TAKES_FILE | TAKES_ID, signal_pause},
    {"signal resume", "FILE [--id ID]", "go on behind the last finished chunk", TAKES_FILE | TAKES_ID, signal_resume},
    {"signal log", "FILE --message TEXT [--id ID]", "a line in the log; {} in it becomes the position",
     TAKES_FILE | TAKES_MESSAGE | TAKES_ID, signal_log_line},
    {"status", "FILE [--json]", "the snapshots under way: tables, rows, percent", TAKES_FILE | TAKES_JSON, status},
    {"config", "[--markdown|--json]", "all options: defaults, allowed values, meaning", TAKES_MARKDOWN | TAKES_JSON,
     config},
    {"help", "", "this text", 0, help},
    {"help exit-codes", "", "what the exit codes mean", 0, help_exit_codes},
};

enum { N_COMMANDS = sizeof commands / sizeof *commands };

/* A usage that is too long for its column stands on a line of its own. */
static void print_usage(FILE *to)
{
    enum { COLUMN = 34 };
    fputs("usage: tidemark COMMAND …\n\n", to);
    for (size_t i = 0; i < N_COMMANDS; i++) {
        int n = fprintf(to, "  %s %s", commands[i].name, commands[i].usage);
        if (n > COLUMN)
            fprintf(to, "\n%*s %s\n", COLUMN + 2, "", commands[i].help);
        else
            fprintf(to, "%*s %s\n", COLUMN + 2 - n, "", commands[i].help);
    }
    fprintf(to, "  %-*s %s\n", COLUMN, "--version", "the version");
}

static int help(const struct call *call)
{
    (void)call;
    print_usage(stdout);
    return fflush(stdout) == 0 ? EXIT_DONE : FAIL_AREA_SYSTEM;
}

static int help_exit_codes(const struct call *call)
{
    static const struct {
        int code;
        const char *meaning;
    } codes[] = {
        {EXIT_DONE, "done, or stopped in order by SIGTERM or SIGINT"},
        {FAIL_AREA_REFUSED, "what was asked for was refused, not found, or stopped"},
        {FAIL_AREA_CONFIG, "the configuration or the command line is wrong"},
        {FAIL_AREA_SOURCE, "the MySQL server, its settings, or our rights there"},
        {FAIL_AREA_KAFKA, "the Kafka cluster, its topics, or our rights there"},
        {FAIL_AREA_FENCED, "another instance of this name has taken over"},
        {FAIL_AREA_DATA, "the data needs a decision: position purged, shape unknown, short row image"},
        {FAIL_AREA_SYSTEM, "this machine: files, memory, descriptors"},
    };
    (void)call;
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++)
        printf("  %d  %s\n", codes[i].code, codes[i].meaning);
    return fflush(stdout) == 0 ? EXIT_DONE : FAIL_AREA_SYSTEM;
}

/* ---- from arguments to a command ---- */

static int refuse(const char *what, const char *which)
{
    fprintf(stderr, "tidemark: %s%s%s; see tidemark help\n", what, which == NULL ? "" : ": ",
            which == NULL ? "" : which);
    return EXIT_USAGE;
}

/* The command whose words the arguments begin with, the longest first; *used is how many words it has. */
static const struct command *find_command(int argc, char **argv, int *used)
{
    const struct command *best = NULL;
    *used = 0;
    for (size_t i = 0; i < N_COMMANDS; i++) {
        char words[64];
        int n = strchr(commands[i].name, ' ') == NULL ? 1 : 2;
        if (n > argc || n < *used)
            continue;
        snprintf(words, sizeof words, n == 1 ? "%s" : "%s %s", argv[0], n == 1 ? "" : argv[1]);
        if (strcmp(words, commands[i].name) != 0)
            continue;
        best = &commands[i];
        *used = n;
    }
    return best;
}

/* Takes an option that the command has. */
static bool take_option(const struct command *cmd, const char *word, struct call *call)
{
    const struct {
        const char *word;
        enum takes takes;
        bool *at;
    } known[] = {
        {"--json", TAKES_JSON, &call->as_json},
        {"--markdown", TAKES_MARKDOWN, &call->as_markdown},
        {"--online", TAKES_ONLINE, &call->is_online},
        {"--wait", TAKES_WAIT, &call->waits},
        {"--blocking", TAKES_ROWS, &call->is_blocking},
        {"--dry-run", TAKES_DRY, &call->is_dry},
        {"--fence", TAKES_FENCE, &call->offsets.may_fence},
        {"--now", TAKES_PLACE, &call->offsets.now},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if ((cmd->takes & known[i].takes) != 0 && strcmp(word, known[i].word) == 0) {
            *known[i].at = true;
            return true;
        }
    return false;
}

/* Takes an option whose value is the next word; NULL when it is none. */
static const char **find_valued(const struct command *cmd, const char *word, struct call *call)
{
    struct offsets_options *o = &call->offsets;
    const struct {
        const char *word;
        enum takes takes;
        const char **at;
    } known[] = {
        {"--tables", TAKES_TABLES, &call->tables},
        {"--where", TAKES_ROWS, &call->filter},
        {"--surrogate-key", TAKES_ROWS, &call->surrogate},
        {"--id", TAKES_ID, &call->id},
        {"--message", TAKES_MESSAGE, &call->message},
        {"--gtid", TAKES_PLACE, &o->gtid},
        {"--file", TAKES_PLACE, &o->file},
        {"--pos", TAKES_PLACE, &o->pos},
        {"--timestamp", TAKES_PLACE, &o->timestamp},
        {"--from-topic", TAKES_FROM, &o->from_topic},
        {"--from-path", TAKES_FROM, &o->from_path},
        {"--name", TAKES_HISTORY, &o->name},
        {"--to", TAKES_TO, &o->to},
        {"--to-file-store", TAKES_TO, &o->to_file_store},
        {"--to-topic", TAKES_TO, &o->to_topic},
        {"--history-topic", TAKES_HISTORY, &o->history_topic},
    };
    size_t n = strcspn(word, "="); /* --gtid SET, or --gtid=SET */
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if ((cmd->takes & known[i].takes) != 0 && strlen(known[i].word) == n && memcmp(word, known[i].word, n) == 0)
            return known[i].at;
    return NULL;
}

static int call_command(const struct command *cmd, int argc, char **argv)
{
    struct call call = {0};
    for (int i = 0; i < argc; i++) {
        if (take_option(cmd, argv[i], &call))
            continue;
        const char **value = find_valued(cmd, argv[i], &call);
        const char *equals = strchr(argv[i], '=');
        if (value != NULL && equals != NULL) {
            *value = equals + 1;
            continue;
        }
        if (value != NULL) {
            if (i + 1 == argc)
                return refuse("a value is missing behind", argv[i]);
            *value = argv[++i];
            continue;
        }
        if (argv[i][0] == '-' && argv[i][1] != '\0')
            return refuse("unknown option", argv[i]);
        if ((cmd->takes & TAKES_FILE) == 0 || call.file != NULL)
            return refuse("one argument too many", argv[i]);
        call.file = argv[i];
    }
    if ((cmd->takes & TAKES_FILE) != 0 && call.file == NULL)
        return refuse("which file", cmd->name);
    return cmd->run(&call);
}

int cli_run(int argc, char **argv)
{
    int used;
    if (argc < 2) {
        print_usage(stderr);
        return EXIT_USAGE;
    }
    if (strcmp(argv[1], "--version") == 0) {
        puts("tidemark " TIDEMARK_VERSION);
        return fflush(stdout) == 0 ? EXIT_DONE : FAIL_AREA_SYSTEM;
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)
        return help(NULL);
    const struct command *cmd = find_command(argc - 1, argv + 1, &used);
    if (cmd == NULL)
        return refuse("unknown command", argv[1]);
    return call_command(cmd, argc - 1 - used, argv + 1 + used);
}
