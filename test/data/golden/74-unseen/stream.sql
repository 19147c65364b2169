use g_unseen;
create unique index i0 on ix ((b + 1)); create unique index i1 on ix (a); insert into ix values (1,1,1); create unique index i2 on ix (b); create unique index i3 on ix (c); insert into ix values (2,2,2); alter table en modify e enum('a','b','c') character set binary default 'c'; insert into en (id) values (2);
insert into `no ne` values (3,'z'); update `no ne` set a=4, b='q' where a=3; delete from `no ne`;
flush privileges; flush status; flush engine logs, error logs; flush relay logs; create user g_unseen_u; create role g_unseen_r; grant g_unseen_r to g_unseen_u; set default role g_unseen_r to g_unseen_u; rename user g_unseen_u to g_unseen_v; drop user g_unseen_v; drop role g_unseen_r;
create table nc (a nchar, b nchar(5), c national char, d char); create database if not exists g_unseen; alter database g_unseen character set utf8mb4;
create table `d"q` (id int primary key); insert into `d"q` values (1); drop table `d"q`;
