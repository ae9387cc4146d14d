import { createRoute, lazyRouteComponent, redirect } from '@tanstack/react-router'
import * as v from 'valibot'
import {
  agentSearch,
  agentsSearch,
  moneySearch,
  offset,
  organizationSearch,
  safetySearch,
} from '../api/search.ts'
import { loginSearch } from '../login/login-search.ts'
import { rootRoute } from '../root-route.tsx'
import { OwnerShell } from './owner-shell.tsx'

const ownerRoute = createRoute({ getParentRoute: () => rootRoute, id: 'owner', component: OwnerShell })

const startRoute = createRoute({
  getParentRoute: () => ownerRoute,
  path: '/',
  beforeLoad: () => {
    throw redirect({ to: '/inbox', replace: true })
  },
})

const inboxRoute = createRoute({
  getParentRoute: () => ownerRoute,
  path: 'inbox',
  validateSearch: v.object({
    status: v.fallback(v.optional(v.picklist(['approved', 'rejected', 'expired'])), undefined),
    offset,
  }),
  component: lazyRouteComponent(() => import('./inbox/inbox-page.tsx'), 'InboxPage'),
})

const approvalRoute = createRoute({
  getParentRoute: () => inboxRoute,
  path: '$approvalId',
  component: lazyRouteComponent(() => import('./inbox/approval-page.tsx'), 'ApprovalPage'),
})

const agentsRoute = createRoute({
  getParentRoute: () => ownerRoute,
  path: 'agents',
  validateSearch: agentsSearch,
  component: lazyRouteComponent(() => import('./agents-page.tsx'), 'OwnerAgentsPage'),
})

const agentRoute = createRoute({
  getParentRoute: () => ownerRoute,
  path: 'agents/$agentId',
  validateSearch: agentSearch,
  component: lazyRouteComponent(() => import('./agent-page.tsx'), 'OwnerAgentPage'),
})

const moneyRoute = createRoute({
  getParentRoute: () => ownerRoute,
  path: 'money',
  validateSearch: moneySearch,
  component: lazyRouteComponent(() => import('./money/money-page.tsx'), 'MoneyPage'),
})

const organizationsRoute = createRoute({
  getParentRoute: () => ownerRoute,
  path: 'organizations',
  validateSearch: v.object({ offset }),
  component: lazyRouteComponent(() => import('./organizations/organizations-page.tsx'), 'OrganizationsPage'),
})

const organizationRoute = createRoute({
  getParentRoute: () => ownerRoute,
  path: 'organizations/$orgId',
  validateSearch: organizationSearch,
  component: lazyRouteComponent(() => import('./organizations/organization-page.tsx'), 'OrganizationPage'),
})

const safetyRoute = createRoute({
  getParentRoute: () => ownerRoute,
  path: 'safety',
  validateSearch: safetySearch,
  component: lazyRouteComponent(() => import('../safety/safety-page.tsx'), 'SafetyPage'),
})

const loginRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: 'login',
  validateSearch: loginSearch,
  component: lazyRouteComponent(() => import('../login/login-page.tsx'), 'OwnerLoginPage'),
})

/** Where apps send their owner's browser. It has no navigation: nothing else is to be done there. */
const connectRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: 'connect/$requestId',
  component: lazyRouteComponent(() => import('../connect/connect-page.tsx'), 'ConnectPage'),
})

export const ownerRoutes = [
  ownerRoute.addChildren([
    startRoute,
    inboxRoute.addChildren([approvalRoute]),
    agentsRoute,
    agentRoute,
    moneyRoute,
    organizationsRoute,
    organizationRoute,
    safetyRoute,
  ]),
  loginRoute,
  connectRoute,
] as const
