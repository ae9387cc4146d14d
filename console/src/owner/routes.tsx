import { createRoute, lazyRouteComponent, redirect } from '@tanstack/react-router'
import * as v from 'valibot'
import { loginSearch } from '../login/login-search.ts'
import { rootRoute } from '../root-route.tsx'
import { OwnerShell } from './owner-shell.tsx'

const offset = v.fallback(v.optional(v.pipe(v.number(), v.integer(), v.minValue(0))), undefined)

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
  validateSearch: v.object({
    status: v.fallback(v.optional(v.picklist(['active', 'paused', 'deactivated'])), undefined),
    offset,
  }),
  component: lazyRouteComponent(() => import('./agents/agents-page.tsx'), 'AgentsPage'),
})

const loginRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: 'login',
  validateSearch: loginSearch,
  component: lazyRouteComponent(() => import('../login/login-page.tsx'), 'OwnerLoginPage'),
})

export const ownerRoutes = [
  ownerRoute.addChildren([startRoute, inboxRoute.addChildren([approvalRoute]), agentsRoute]),
  loginRoute,
] as const
