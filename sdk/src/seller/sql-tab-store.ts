import { checkTableName, placeholdersOf, type SqlDatabase, type SqlStoreOptions } from './sql-nonce-store.ts'
import type { StoredTabs, TabStore } from './tab-store.ts'

/**
 * Vouchers in PostgreSQL or SQLite (3.35 or later), for any number of processes. The table:
 *
 *     create table voucher_tabs (
 *       payee text not null,
 *       buyer text not null,
 *       state text not null,
 *       version text not null,
 *       primary key (payee, buyer)
 *     );
 *
 * Throws a TypeError if `table` is not a name.
 */
export function sqlTabStore(
  database: SqlDatabase,
  { table = 'voucher_tabs', placeholder = '$' }: SqlStoreOptions = {},
): TabStore {
  checkTableName(table)
  const [a, b, c, d, e] = placeholdersOf(placeholder, 5)
  const read = `select state, version from ${table} where payee = ${a} and buyer = ${b}`
  const insert = `insert into ${table} (payee, buyer, state, version) values (${a}, ${b}, ${c}, ${d})
    on conflict do nothing returning buyer`
  const update = `update ${table} set state = ${a}, version = ${b}
    where payee = ${c} and buyer = ${d} and version = ${e} returning buyer`
  const remove = `delete from ${table} where payee = ${a} and buyer = ${b} and version = ${c} returning buyer`
  const buyers = `select buyer from ${table} where payee = ${a}`

  async function changes(text: string, values: string[]): Promise<boolean> {
    return (await database.query(text, values)).rows.length > 0
  }
  return {
    async read(payee, buyer) {
      const [row] = (await database.query(read, [payee, buyer])).rows as readonly StoredTabs[]
      return row === undefined ? null : { state: row.state, version: row.version }
    },
    async write(payee, buyer, next, version) {
      if (next === null) return version === null || changes(remove, [payee, buyer, version])
      if (version === null) return changes(insert, [payee, buyer, next.state, next.version])
      return changes(update, [next.state, next.version, payee, buyer, version])
    },
    async buyers(payee) {
      const { rows } = await database.query(buyers, [payee])
      return (rows as readonly { readonly buyer: string }[]).map(({ buyer }) => buyer)
    },
  }
}
