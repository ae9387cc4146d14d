/** Pay-per-call: verifies that a payment is what its payee expects, and accepts each nonce once; by x402 too. And who sells what. */
export { openPayDocuments } from './discovery/document.ts'
export { listingChecks } from './discovery/jobs.ts'
export { serveDiscovery } from './discovery/routes.ts'
export { servePayPerCall, serveVerification } from './routes.ts'
export { railOf } from './x402/request.ts'
