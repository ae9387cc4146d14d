import { istTimeText } from '../../../kernel/clock.ts'
import type { StoredContent } from './store.ts'

/** The texts that the operator has registered, with placeholders. */
export interface Texts {
  readonly bankAccount: string
}

/** The text of a message and the values of its placeholders. `url` is the page where the owner can log in to object. */
export function writeText(texts: Texts, { last4, effective_at }: StoredContent, url: string) {
  const variables = { last4, effective_at: istTimeText(new Date(effective_at)), url }
  const text = texts.bankAccount.replace(/\{(last4|effective_at|url)\}/g, (_whole, name: string) =>
    name === 'last4' ? last4 : name === 'url' ? url : variables.effective_at,
  )
  return { text, variables }
}
