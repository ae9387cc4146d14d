import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type {
  BodyOf,
  ErrorCode as ContractErrorCode,
  EventName as ContractEventName,
  DownloadOperationId,
  EventData,
  EventStreamOperationId,
  OperationId,
  ParamsOf,
  QueryOf,
  ResponseOf,
  Route,
  Routes,
} from '@batua/contract'
import { expect, test } from 'vitest'
import type { Api } from './src/api/routes.ts'
import type { ErrorCode, EventName, NoInput, WebhookData } from './src/api/types.ts'
import type { Download } from './src/client/download.ts'

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

/** The methods of the client; a browser’s EventSource follows the other routes. */
type Method = Exclude<OperationId, EventStreamOperationId>

type GivenTo<Name extends Method> = NonNullable<Parameters<Api[Name]>[0]>
type ReplyOf<Name extends Method> = Awaited<ReturnType<Api[Name]>>
/** What a method returns: what its route responds with, or a download of it. */
type Expected<Name extends Method> = Name extends DownloadOperationId
  ? Download<ResponseOf<Routes[Name]>>
  : ResponseOf<Routes[Name]>

/** Routes and events whose type in the SDK differs from the contract. */
type WrongResponses = {
  [Name in Method]: Same<Expected<Name>, ReplyOf<Name>> extends true ? never : Name
}[Method]
/** The type of an audit action is any text in the contract, and a list in its schema, which the SDK has. */
type WrongInputs = {
  [Name in Method]: Same<InputOf<Routes[Name]>, GivenTo<Name>> extends true ? never : Name
}[Method]
type WrongEvents = {
  [Name in EventName]: Same<EventData<Name>, WebhookData[Name]> extends true ? never : Name
}[EventName]

// The compiler tests these: each is false, and `true` does not satisfy it, if anything differs.
void ({
  routes: true,
  responses: true,
  inputs: true,
  events: true,
  eventNames: true,
  errorCodes: true,
} satisfies {
  readonly routes: Same<keyof Api, Method>
  readonly responses: Same<WrongResponses, never>
  readonly inputs: Same<WrongInputs, 'listAuditEntries'>
  readonly events: Same<WrongEvents, never>
  readonly eventNames: Same<EventName, ContractEventName>
  readonly errorCodes: Same<ErrorCode, ContractErrorCode>
})
