/** Pay-per-call: verifies that a payment is what its payee expects, and accepts each nonce once. */
export { servePayPerCall } from './routes.ts'
