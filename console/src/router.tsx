import { createRouter } from '@tanstack/react-router'
import { adminRoutes } from './admin/routes.tsx'
import { ownerRoutes } from './owner/routes.tsx'
import { platformRoutes } from './platform/routes.tsx'
import { rootRoute } from './root-route.tsx'
import { BrokenPage } from './shell/broken-page.tsx'
import { LoadingPage } from './shell/loading-page.tsx'

export const router = createRouter({
  routeTree: rootRoute.addChildren([...ownerRoutes, ...platformRoutes, ...adminRoutes]),
  basepath: '/console',
  defaultPreload: 'intent',
  defaultPendingComponent: LoadingPage,
  defaultErrorComponent: BrokenPage,
  scrollRestoration: true,
})

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}
