import { type TNumber, type TString, Type } from 'typebox'
import { MAX_AMOUNT_INR } from './formats.ts'

/** Longest idempotency key, in characters (contract section 1, Idempotency). */
export const IDEMPOTENCY_KEY_MAX_LENGTH = 255

/** The time of the examples. */
export const EXAMPLE_TIME = '2026-11-20T10:15:30.000Z'

/** The public key of RFC 8032, section 7.1, test 1. */
export const EXAMPLE_PUBLIC_KEY = '11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo='

/** An amount that a caller sends: INR, a JSON number above 0 with at most two decimals (contract section 1). */
export function amountIn(description: string, options: { readonly minimum?: number } = {}): TNumber {
  const lower = options.minimum === undefined ? { exclusiveMinimum: 0 } : { minimum: options.minimum }
  return Type.Number({ ...lower, maximum: MAX_AMOUNT_INR, format: 'inr', description, examples: [400] })
}

/** An amount in a response: INR, a JSON number with at most two decimals; may be 0 or, for a balance, negative. */
export function amountOut(description: string): TNumber {
  return Type.Number({ description, examples: [400] })
}

/** ISO 8601 in UTC with milliseconds (contract section 1). */
export function timestamp(description: string): TString {
  return Type.String({ format: 'date-time', description, examples: [EXAMPLE_TIME] })
}

/** A name: 1 to 100 characters, at least one of them visible, no control characters (contract section 1). */
export function nameText(description: string, example: string): TString {
  return Type.String({
    minLength: 1,
    maxLength: 100,
    format: 'visible-line',
    description,
    examples: [example],
  })
}

/** A short text without control characters: a reference, a key, a nonce. 1 to 255 characters. */
export function lineText(description: string, example: string): TString {
  return Type.String({
    minLength: 1,
    maxLength: IDEMPOTENCY_KEY_MAX_LENGTH,
    format: 'single-line',
    description,
    examples: [example],
  })
}

/** A note: newlines and tabs are allowed (contract section 1). */
export function noteText(description: string, example: string, maxLength = 500): TString {
  return Type.String({ maxLength, format: 'multi-line', description, examples: [example] })
}

/** A text in a response; its limits were checked in the request. */
export function textOut(description: string, example: string): TString {
  return Type.String({ description, examples: [example] })
}

/** An Indian mobile number in a request. The service stores and returns its ten digits. */
export function phoneIn(description: string): TString {
  return Type.String({
    maxLength: 24,
    pattern: '^(?:(?:\\+|00)91|0)?[ -]?[6-9](?:[ -]?[0-9]){9}$',
    description: `${description} Indian mobile number: 10 digits starting with 6 to 9; a leading \`+91\` or \`0\` is accepted.`,
    examples: ['9876543210'],
  })
}

/** An e-mail address in a request. */
export function emailIn(description: string): TString {
  return Type.String({ maxLength: 254, format: 'email', description, examples: ['dev@example.com'] })
}

/** One end of a span of time in a query: a day in IST, or a moment (contract section 1, Times). */
export function spanEnd(description: string, example: string): TString {
  return Type.String({ maxLength: 40, format: 'date-or-timestamp', description, examples: [example] })
}

/** A moment in a request: RFC 3339 with its offset. */
export function momentIn(description: string, example: string): TString {
  return Type.String({ maxLength: 40, format: 'date-time', description, examples: [example] })
}

/** An agent as callers name it: an id, or a handle in any case with or without `@`. The service resolves it. */
export function agentReference(description: string): TString {
  return Type.String({
    minLength: 1,
    maxLength: 64,
    format: 'single-line',
    description,
    examples: ['translator'],
  })
}

/** Ed25519 bytes in base64: 44 characters for a public key, 88 for a signature. */
export function base64Out(description: string, bytes: 32 | 64): TString {
  const example = bytes === 32 ? EXAMPLE_PUBLIC_KEY : `${'A'.repeat(86)}==`
  return Type.String({ description, examples: [example] })
}
