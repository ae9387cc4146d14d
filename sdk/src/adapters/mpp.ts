/** MPP with its own package `mppx`: the method `batua` with the intents `charge` and `session`, for both of its sides. */
export { type ChargeClient, type ChargeClientOptions, chargeClient } from './mpp-client.ts'
export { type ChargeServer, type ChargeServerOptions, chargeServer, type MppErrors } from './mpp-server.ts'
export { type SessionClient, type SessionClientOptions, sessionClient } from './mpp-session-client.ts'
export { type SessionServer, type SessionServerOptions, sessionServer } from './mpp-session-server.ts'
