drop database if exists g_modes;
create database g_modes;
use g_modes;
create table t (id bigint unsigned primary key, d decimal(12,4) default -0.5, n numeric(5,0) not null default 7, b bigint unsigned default 18446744073709551615, x varbinary(9) default 'AB', y binary(3) not null default 'a', dt date default '2020-01-02', ti time(3) default '01:02:03.4', dm datetime(6) default '2020-01-02 03:04:05.5', ts timestamp(2) null, f float(5,2) default 1.1);
insert into t values (1,1234.5,0,9223372036854775808,x'00ff',x'01','1999-12-31','23:59:59.999','9999-12-31 23:59:59.999999','1970-01-01 00:00:01',2.25),(18446744073709551615,null,-99999,null,null,'b',null,null,null,null,null);
create table k (id int primary key, v varchar(5), w int); insert into k values (1,null,1); create table m_1 (id int, w decimal(4,2)); insert into m_1 values (1,1.5);
