import type { Journal } from './journal.ts'
import { keptJournal } from './kept-journal.ts'

/** A journal that ends with the process. Finished purchases are kept for a day, for budgets. */
export function memoryJournal(): Journal {
  return keptJournal({ append: async () => {}, appendPin: async () => {}, rewrite: async () => {} })
}
