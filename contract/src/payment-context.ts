import { type Static, type TOptional, Type } from 'typebox'
import { amountIn, lineText, nameText, noteText } from './fields.ts'
import { nullable, request, response } from './schema.ts'

/** The most items of a context (contract section 12). */
export const MAX_CONTEXT_ITEMS = 20

const WEB_URL_MAX_LENGTH = 2048

/** A context for the examples of records that contain one. */
export const exampleContext = {
  purpose: 'Translate the tender documents for the Pune office',
  url: 'https://translator.example/orders/2041',
  items: [{ name: 'Translated page', quantity: 12, amount: 33.5 }],
  client: 'Research desk',
}

const item = request({
  name: nameText('What is bought, at most 100 characters.', 'Translated page'),
  quantity: Type.Optional(
    Type.Number({ exclusiveMinimum: 0, maximum: 1_000_000_000, description: 'How many.', examples: [12] }),
  ),
  amount: Type.Optional(amountIn('What the item costs in all, INR.', { minimum: 0 })),
})

const properties = {
  purpose: Type.Optional(noteText('Why the agent pays, at most 500 characters.', exampleContext.purpose)),
  url: Type.Optional(
    Type.String({
      maxLength: WEB_URL_MAX_LENGTH,
      format: 'web-url',
      description: 'The page of what is bought: http or https, without a user name.',
      examples: [exampleContext.url],
    }),
  ),
  items: Type.Optional(
    Type.Array(item, {
      maxItems: MAX_CONTEXT_ITEMS,
      description: 'What is bought.',
      examples: [exampleContext.items],
    }),
  ),
  client: Type.Optional(
    Type.String({
      ...lineText('For whom the agent acts, at most 100 characters.', exampleContext.client),
      maxLength: 100,
    }),
  ),
}

/** Why an agent spends (contract section 12): what its owner reads before approving. The payee never sees it. */
const ContextIn = request(properties, {
  description:
    'Why the agent spends. Your owner reads it before approving, and it is recorded in the audit log; the payee never sees it.',
  examples: [exampleContext],
})
export type PaymentContext = Static<typeof ContextIn>

/** The optional field `context` of a request that spends money. */
export const contextIn: { readonly context: TOptional<typeof ContextIn> } = {
  context: Type.Optional(ContextIn),
}

/** The field `context` of a response; null: the request had none. */
export const contextOut = nullable(
  response(properties, {
    description: 'Why the agent spends, as its request said; null if it did not.',
    examples: [exampleContext],
  }),
)
