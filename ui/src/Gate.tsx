/** Lets in whom the server knows; shows everybody else where to sign in, and keeps the address for afterwards. */

import { useQuery } from "@tanstack/react-query";
import { sessionQuery } from "./api/queries";
import { AwayBanner } from "./components/Banner";
import { Failed } from "./components/Notices";
import { Shell } from "./components/Shell";
import { SignIn } from "./pages/SignIn";

export function Gate() {
  const { data: session, error } = useQuery(sessionQuery);
  if (session === null) return <SignIn />;
  if (session) return <Shell />;
  if (!error) return null;
  return (
    <>
      <AwayBanner />
      <main className="mx-auto max-w-xl p-6">
        <Failed error={error} />
      </main>
    </>
  );
}
