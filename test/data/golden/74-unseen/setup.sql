drop database if exists g_unseen;
create database g_unseen;
use g_unseen;
create table ix (a int, b int not null, c int not null); create table en (id int primary key, e enum('a','b') character set binary default 'b', s set('x','y') character set latin1); insert into en values (1,null,'x');
create table `no ne` (a int, b varchar(5)); insert into `no ne` values (1,'x'),(2,null);
