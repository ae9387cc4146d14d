/** The page on which a human pays. */
export { type CheckoutContext, type Rehearse, serveCheckout } from './routes.ts'
