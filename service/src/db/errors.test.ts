import { expect, test } from 'vitest'
import { databaseUnavailable } from './errors.ts'

test('a database that no address of its name reaches is reported in one line, with a reason for each address', () => {
  const both = ['::1', '127.0.0.1'].map(address => new Error(`connect ECONNREFUSED ${address}:5432`))
  expect(databaseUnavailable(new AggregateError(both)).message).toBe(
    'The database is not available: connect ECONNREFUSED ::1:5432; connect ECONNREFUSED 127.0.0.1:5432',
  )
})

test('the kind of an error is no part of the reason, and a reason is given once', () => {
  const first = databaseUnavailable(new Error('password authentication failed for user "batua"'))
  expect(first.message).toBe('The database is not available: password authentication failed for user "batua"')
  expect(databaseUnavailable(first)).toBe(first)
})
