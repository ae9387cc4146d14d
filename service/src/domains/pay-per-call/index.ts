/** Pay-per-call: whether a payment is what its payee expects, each nonce once. */
export { servePayPerCall } from './routes.ts'
