/* SPDX-License-Identifier: Apache-2.0 */
/*
 * probe: links every library tidemark needs, at compile time asserts the oldest version it accepts, and prints what it found.
 *
 * `./dev` tries it on the machine as it is; where it links, no root is needed. MariaDB's client also answers to the name
 * mysqlclient but has no mysql_binlog_open, which is why a version number alone does not decide.
 */
#include <cjson/cJSON.h>
#include <ev.h>
#include <librdkafka/rdkafka.h>
#include <mysql/mysql.h>
#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>
#include <stdio.h>
#include <zlib.h>
#include <zstd.h>

_Static_assert(LIBMYSQL_VERSION_ID >= 90000, "libmysqlclient 9.0 or newer is needed");
_Static_assert(RD_KAFKA_VERSION >= 0x020e00ff, "librdkafka 2.14 or newer is needed");
_Static_assert(CJSON_VERSION_MAJOR > 1 || CJSON_VERSION_MINOR >= 7, "cJSON 1.7 or newer is needed");
_Static_assert(EV_VERSION_MAJOR > 4 || EV_VERSION_MINOR >= 33, "libev 4.33 or newer is needed");
_Static_assert(ZSTD_VERSION_NUMBER >= 10500, "zstd 1.5 or newer is needed");
_Static_assert(PCRE2_MAJOR > 10 || PCRE2_MINOR >= 40, "PCRE2 10.40 or newer is needed");

int main(int argc, char **argv)
{
    (void)argv;
    if (argc > 100) { /* never: only so that the symbol must link */
        MYSQL_RPL rpl = {0};
        return mysql_binlog_open(mysql_init(NULL), &rpl);
    }
    char pcre2[64] = "";
    pcre2_config(PCRE2_CONFIG_VERSION, pcre2);
    printf("libmysqlclient %s\n", mysql_get_client_info());
    printf("librdkafka     %s\n", rd_kafka_version_str());
    printf("cJSON          %s\n", cJSON_Version());
    printf("libev          %d.%d\n", ev_version_major(), ev_version_minor());
    printf("zstd           %s\n", ZSTD_versionString());
    printf("zlib           %s\n", zlibVersion());
    printf("PCRE2          %s\n", pcre2);
    return 0;
}
