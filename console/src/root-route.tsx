import { createRootRoute } from '@tanstack/react-router'
import { BrokenPage } from './shell/broken-page.tsx'
import { NotFoundPage } from './shell/not-found-page.tsx'
import { Root } from './shell/root.tsx'

export const rootRoute = createRootRoute({
  component: Root,
  notFoundComponent: NotFoundPage,
  errorComponent: BrokenPage,
})
