import { describe, expect, test as plain } from 'vitest'
import { db, test } from '../testing/database-test.ts'
import { openDatabase } from './database.ts'
import { addressesOf } from './hosts.ts'
import { migrate } from './migrate.ts'

describe('the addresses of a database', () => {
  plain.each([
    ['postgres://u:p@one:5433/batua', ['postgres://u:p@one:5433/batua']],
    [
      'postgres://u@one,two:5433,[::1]/d',
      ['postgres://u@one/d', 'postgres://u@two:5433/d', 'postgres://u@[::1]/d'],
    ],
    [
      'postgresql://%2Ftmp%2Fa,one/d?sslmode=require',
      ['postgresql://%2Ftmp%2Fa/d?sslmode=require', 'postgresql://one/d?sslmode=require'],
    ],
    ['postgres://one,two/d?target_session_attrs=read-write', ['postgres://one/d', 'postgres://two/d']],
    ['postgres://one/d?target_session_attrs=primary', ['postgres://one/d']],
  ])('of %s are one for each host', (url, addresses) => {
    expect(addressesOf(url)).toEqual(addresses)
  })

  plain.each([
    'mysql://one/d',
    'postgres://one:x/d',
    'postgres://one,two:70000/d',
    'postgres://one,two/d?target_session_attrs=standby',
    'one,two',
    '',
  ])('are none in %j', url => {
    expect(addressesOf(url)).toBeNull()
  })
})

/** Nothing listens there. */
const CLOSED = '127.0.0.1:1'

function withOther(url: string): string {
  const [scheme = '', rest = ''] = url.split('://')
  const at = rest.indexOf('@') + 1
  return `${scheme}://${rest.slice(0, at)}${CLOSED},${rest.slice(at)}`
}

test('a database of two hosts, of which one is down, is served by the other', async () => {
  await migrate(withOther(db.url))
  const database = openDatabase(withOther(db.url))
  const connection = await database.connect()
  expect(await connection.query('select 1 as one')).toEqual([{ one: 1 }])
  expect(await Promise.all([1, 2].map(() => database.query('select 2 as two')))).toEqual([
    [{ two: 2 }],
    [{ two: 2 }],
  ])
  await connection.release()
  await database.close()
})

test('a database of which no host accepts writes is not available', async () => {
  const database = openDatabase('postgres://batua@127.0.0.1:1,127.0.0.1:2/batua')
  await expect(database.query('select 1')).rejects.toMatchObject({ name: 'DatabaseUnavailable' })
  await database.close()
})
