import type { Journal } from './journal.ts'
import { storedJournal } from './stored-journal.ts'

/** A journal that ends with the process. Finished purchases are kept for a day, for budgets. */
export function memoryJournal(): Journal {
  return storedJournal({ append: async () => {}, appendPin: async () => {}, rewrite: async () => {} })
}
