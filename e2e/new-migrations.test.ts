import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { oldestCode } from '../service/src/db/migrate.ts'
import { breakingStatements } from './src/breaking-sql.ts'
import { MIGRATIONS, migrationsOfLastRelease } from './src/last-release.ts'

const FOLDER = join(import.meta.dirname, '..', MIGRATIONS)
const read = (name: string) => readFileSync(join(FOLDER, name), 'utf8')

test('a migration after the last release only adds, unless its name says which code does without the rest', () => {
  const released = migrationsOfLastRelease()
  const names = readdirSync(FOLDER).toSorted()
  expect(names.slice(0, released.length)).toEqual(released)
  const faults = names.slice(released.length).flatMap(name => {
    const [, , title = ''] = name.split('.')
    const from = oldestCode(title)
    if (from > released.length)
      return [`${name} removes what the last release, with version ${released.length}, uses`]
    return from > 0 ? [] : breakingStatements([read(name)]).map(statement => `${name} ${statement}`)
  })
  expect(faults).toEqual([])
})

test.each([
  'drop table agents',
  'alter table agents drop column name',
  'alter table agents add column a int, drop constraint agents_check',
  'alter table agents alter column name drop default',
  'alter table agents rename column name to title',
  'ALTER TABLE agents\n  RENAME TO actors',
  'alter table agents alter column name type int',
  'alter table agents alter name set data type int',
  'alter table agents alter column name set not null',
  'alter table agents add column name text not null',
  'alter table agents add column a int default 1, add column name text not null',
  `alter table agents add constraint named check (name <> '')`,
  'create unique index agents_name on agents (name)',
  'create trigger t before insert on agents for each row execute function f()',
  'create or replace function f() returns int language sql as $$ select 1 $$',
  'drop index agents_name',
  'drop function f(int)',
  `alter type mood add value 'sad'`,
  'truncate agents',
])('a statement that may break code which runs is found: %s', statement => {
  expect(breakingStatements([`-- Why.\n${statement};`])).toHaveLength(1)
})

test('what only adds, or belongs to a table that is new, is not found', () => {
  const sql = `-- Drops nothing; it says "drop table" here.
    -- Nor does an owner's comment begin a text.
    create table sums (id uuid primary key, total int8 not null);
    alter table sums add constraint positive check (total > 0);
    create unique index sums_total on sums (total);
    create index agents_name on agents (name) where name <> 'drop table agents';
    alter table agents add column a int8, add column b int8 not null default 0, add column c int default 0 not null;
    alter table agents alter column name drop not null;
    create function f() returns int language plpgsql as $$ begin drop table agents; return 1; end $$;
    update agents set a = 0 where a is null;`
  expect(breakingStatements([sql])).toEqual([])
})

test('the migrations that made authorizations would have needed a name that says so', () => {
  const [name = ''] = readdirSync(FOLDER).filter(each => each.startsWith('0059.'))
  expect(breakingStatements([read(name)])).toHaveLength(4)
})
