import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type {
  BodyOf,
  ErrorCode as ContractErrorCode,
  EventName as ContractEventName,
  EventData,
  OperationId,
  ParamsOf,
  QueryOf,
  ResponseOf,
  Route,
  Routes,
  StreamOperationId,
} from '@batua/contract'
import { expect, test } from 'vitest'
import type { Api } from './src/api/routes.ts'
import type { ErrorCode, EventName, NoInput, WebhookData } from './src/api/types.ts'

test('the generated files are what the contract says', () => {
  const script = fileURLToPath(new URL('generate.ts', import.meta.url))
  const args = ['--conditions=@batua/source', script, '--check']
  const { status, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' })
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
})

type Same<A, B> = [A] extends [B] ? ([B] extends [A] ? true : false) : false

/** A part of the input; empty if the route has none. */
type Part<R extends Route, Name extends 'params' | 'query' | 'body', Value> = R[Name] extends object
  ? Value extends object
    ? Value
    : { body: Value }
  : unknown

type Merged<R extends Route> = Part<R, 'params', ParamsOf<R>> &
  Part<R, 'query', QueryOf<R>> &
  Part<R, 'body', BodyOf<R>>
type InputOf<R extends Route> = unknown extends Merged<R> ? NoInput : Merged<R>

/** Routes with JSON responses; a browser’s EventSource follows the others. */
type JsonOperationId = Exclude<OperationId, StreamOperationId>

type GivenTo<Name extends JsonOperationId> = NonNullable<Parameters<Api[Name]>[0]>
type AnswerOf<Name extends JsonOperationId> = Awaited<ReturnType<Api[Name]>>

/** Routes and events whose type in the SDK differs from the contract. */
type WrongAnswers = {
  [Name in JsonOperationId]: Same<ResponseOf<Routes[Name]>, AnswerOf<Name>> extends true ? never : Name
}[JsonOperationId]
/** The type of an audit action is any text in the contract, and a list in its schema, which the SDK has. */
type WrongInputs = {
  [Name in JsonOperationId]: Same<InputOf<Routes[Name]>, GivenTo<Name>> extends true ? never : Name
}[JsonOperationId]
type WrongEvents = {
  [Name in EventName]: Same<EventData<Name>, WebhookData[Name]> extends true ? never : Name
}[EventName]

// The compiler tests these: each is false, and `true` does not satisfy it, if anything differs.
void ({
  routes: true,
  answers: true,
  inputs: true,
  events: true,
  eventNames: true,
  errorCodes: true,
} satisfies {
  readonly routes: Same<keyof Api, JsonOperationId>
  readonly answers: Same<WrongAnswers, never>
  readonly inputs: Same<WrongInputs, 'listAuditEntries'>
  readonly events: Same<WrongEvents, never>
  readonly eventNames: Same<EventName, ContractEventName>
  readonly errorCodes: Same<ErrorCode, ContractErrorCode>
})
