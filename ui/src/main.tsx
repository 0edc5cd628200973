import { QueryCache, QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { ApiError } from "./api/client";
import { sessionQuery } from "./api/queries";
import { WordsProvider } from "./i18n/text";
import { makeRouter } from "./router";
import { startTheme } from "./theme";
import "./styles.css";

startTheme();
const queryClient: QueryClient = new QueryClient({
  queryCache: new QueryCache({
    onError: (error) => {
      // The session ran out, or was ended elsewhere: sign in anew, and go on where one was.
      if (error instanceof ApiError && error.status === 401) queryClient.setQueryData(sessionQuery.queryKey, null);
    },
  }),
});
const router = makeRouter(queryClient);
const container = document.getElementById("root");
if (!container) throw new Error("the page has no root");
createRoot(container).render(
  <StrictMode>
    <WordsProvider>
      <QueryClientProvider client={queryClient}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </WordsProvider>
  </StrictMode>,
);
