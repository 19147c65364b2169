use g_modes;
insert into t values (11,1e-4,1,0,'',x'000000','2024-02-29','00:00:00','1969-12-31 23:59:59.120000','2024-02-29 12:34:56.5',0),(12,null,2,null,null,'b',null,'-00:00:00.001',null,null,null); insert into t (id) values (13); update t set n=3; update t set id=14 where id=13; delete from t where id=18446744073709551615;
insert into k values (2,'x',2); update k set w=5; update k set v='y' where id=2; delete from k; insert into m_1 values (2,null),(2,2); update m_1 set w=3 where w=2; delete from m_1 where w=3; truncate t;
create database if not exists g_modes_2; create table g_modes_2.z (id int primary key); create table z (id int primary key); drop table k, z, g_modes_2.z; drop database g_modes_2; drop database g_modes; create database g_modes;
