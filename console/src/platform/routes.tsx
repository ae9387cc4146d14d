import { EVENT_NAMES } from '@batua/sdk'
import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import * as v from 'valibot'
import { agentSearch, agentsSearch, offset, requestsSearch } from '../api/search.ts'
import { loginSearch } from '../login/login-search.ts'
import { rootRoute } from '../root-route.tsx'

/** The service says what is wrong with a text, for example an id that is none. */
const text = v.fallback(v.optional(v.pipe(v.string(), v.minLength(1), v.maxLength(255))), undefined)
const date = v.fallback(v.optional(v.pipe(v.string(), v.isoDate())), undefined)
const eventName = v.fallback(v.optional(v.picklist(EVENT_NAMES)), undefined)

const platformRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: 'platform',
  component: lazyRouteComponent(() => import('./platform-shell.tsx'), 'PlatformShell'),
})

const startRoute = createRoute({
  getParentRoute: () => platformRoute,
  path: '/',
  component: lazyRouteComponent(() => import('./start/start-page.tsx'), 'StartPage'),
})

const ownersRoute = createRoute({
  getParentRoute: () => platformRoute,
  path: 'owners',
  validateSearch: v.object({ offset }),
  component: lazyRouteComponent(() => import('./owners/owners-page.tsx'), 'OwnersPage'),
})

const agentsRoute = createRoute({
  getParentRoute: () => platformRoute,
  path: 'agents',
  validateSearch: agentsSearch,
  component: lazyRouteComponent(() => import('./agents-page.tsx'), 'PlatformAgentsPage'),
})

const agentRoute = createRoute({
  getParentRoute: () => platformRoute,
  path: 'agents/$agentId',
  validateSearch: agentSearch,
  component: lazyRouteComponent(() => import('./agent-page.tsx'), 'PlatformAgentPage'),
})

const paymentsRoute = createRoute({
  getParentRoute: () => platformRoute,
  path: 'payments',
  validateSearch: v.object({
    type: v.fallback(
      v.optional(v.picklist(['pay_out', 'pay_in', 'fund', 'withdraw', 'settlement'])),
      undefined,
    ),
    status: v.fallback(v.optional(v.picklist(['pending', 'completed', 'failed', 'reversed'])), undefined),
    agent: text,
    reference: text,
    from: date,
    to: date,
    offset,
  }),
  component: lazyRouteComponent(() => import('./payments/payments-page.tsx'), 'PaymentsPage'),
})

const paymentRoute = createRoute({
  getParentRoute: () => platformRoute,
  path: 'payments/$paymentId',
  component: lazyRouteComponent(() => import('./payments/payment-page.tsx'), 'PaymentPage'),
})

const approvalsRoute = createRoute({
  getParentRoute: () => platformRoute,
  path: 'payments/approvals',
  validateSearch: v.object({
    status: v.fallback(
      v.optional(v.picklist(['pending_approval', 'approved', 'rejected', 'expired'])),
      undefined,
    ),
    offset,
  }),
  component: lazyRouteComponent(() => import('./payments/approvals-page.tsx'), 'ApprovalsPage'),
})

const approvalRoute = createRoute({
  getParentRoute: () => platformRoute,
  path: 'payments/approvals/$approvalId',
  component: lazyRouteComponent(() => import('./payments/approvals-page.tsx'), 'ApprovalPage'),
})

const escrowsRoute = createRoute({
  getParentRoute: () => platformRoute,
  path: 'payments/escrows',
  validateSearch: v.object({
    status: v.fallback(v.optional(v.picklist(['held', 'released', 'refunded'])), undefined),
    agent: text,
    offset,
  }),
  component: lazyRouteComponent(() => import('./payments/escrows-page.tsx'), 'EscrowsPage'),
})

const escrowRoute = createRoute({
  getParentRoute: () => platformRoute,
  path: 'payments/escrows/$escrowId',
  component: lazyRouteComponent(() => import('./payments/escrow-page.tsx'), 'EscrowPage'),
})

const webhooksRoute = createRoute({
  getParentRoute: () => platformRoute,
  path: 'webhooks',
  validateSearch: v.object({
    status: v.fallback(v.optional(v.picklist(['pending', 'delivered', 'failed'])), undefined),
    event: eventName,
    offset,
  }),
  component: lazyRouteComponent(() => import('./webhooks/webhooks-page.tsx'), 'WebhooksPage'),
})

const deliveryRoute = createRoute({
  getParentRoute: () => platformRoute,
  path: 'webhooks/$deliveryId',
  component: lazyRouteComponent(() => import('./webhooks/delivery-page.tsx'), 'DeliveryPage'),
})

const eventsRoute = createRoute({
  getParentRoute: () => platformRoute,
  path: 'webhooks/events',
  validateSearch: v.object({ event: eventName, agent: text, offset }),
  component: lazyRouteComponent(() => import('./webhooks/events-page.tsx'), 'EventsPage'),
})

const signatureRoute = createRoute({
  getParentRoute: () => platformRoute,
  path: 'webhooks/signature',
  component: lazyRouteComponent(() => import('./webhooks/signature-page.tsx'), 'SignaturePage'),
})

const requestsRoute = createRoute({
  getParentRoute: () => platformRoute,
  path: 'requests',
  validateSearch: requestsSearch,
  component: lazyRouteComponent(() => import('./requests-page.tsx'), 'RequestsPage'),
})

const sandboxRoute = createRoute({
  getParentRoute: () => platformRoute,
  path: 'sandbox',
  component: lazyRouteComponent(() => import('./sandbox/sandbox-page.tsx'), 'SandboxPage'),
})

const loginRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: 'platform/login',
  validateSearch: loginSearch,
  component: lazyRouteComponent(() => import('../login/login-page.tsx'), 'PlatformLoginPage'),
})

export const platformRoutes = [
  platformRoute.addChildren([
    startRoute,
    ownersRoute,
    agentsRoute,
    agentRoute,
    paymentsRoute,
    paymentRoute,
    approvalsRoute,
    approvalRoute,
    escrowsRoute,
    escrowRoute,
    webhooksRoute,
    deliveryRoute,
    eventsRoute,
    signatureRoute,
    requestsRoute,
    sandboxRoute,
  ]),
  loginRoute,
] as const
