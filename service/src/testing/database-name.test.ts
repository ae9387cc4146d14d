import { expect, test } from 'vitest'
import { withDatabaseName } from './database-name.ts'

test.each([
  ['postgresql://u:p@%2Ftmp%2Fx:5432/batua', 'postgresql://u:p@%2Ftmp%2Fx:5432/other'],
  ['postgres://u@localhost/a?sslmode=disable', 'postgres://u@localhost/other?sslmode=disable'],
  ['postgres://u:p@/a?host=/tmp/x', 'postgres://u:p@/other?host=/tmp/x'],
  ['postgres://localhost', 'postgres://localhost/other'],
])('only the name of the database changes in %s', (url, renamed) => {
  expect(withDatabaseName(url, 'other')).toBe(renamed)
})
