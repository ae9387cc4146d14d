/** Connections to addresses that others chose: receivers of webhooks, and pages that an agent pays for. */
export { type Connector, type ConnectorOptions, openConnector } from './connector.ts'
export {
  type GuardedFetch,
  type GuardedFetchOptions,
  NoResponse,
  openGuardedFetch,
  readAtMost,
} from './guarded-fetch.ts'
export { dnsLookup, guardedLookup, type Lookup, systemLookup } from './lookup.ts'
export { NOT_HTTPS, NOT_PUBLIC, NotConnected, noResponseError, ResponseTooLong } from './no-response.ts'
export { literalAddress, mayConnectTo } from './public-address.ts'
