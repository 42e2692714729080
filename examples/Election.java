import io.holdfast.client.Holdfast;
import io.holdfast.client.LeaderElection;

import java.util.concurrent.CountDownLatch;

/** Two candidates, each with a connection of its own. When the leader resigns the other leads. */
class Election {
    public static void main(String[] args) throws Exception {
        String server = args.length > 0 ? args[0] : "127.0.0.1:6388";
        try (Holdfast first = Holdfast.connect(server);
                Holdfast second = Holdfast.connect(server)) {
            CountDownLatch firstLeads = new CountDownLatch(1);
            CountDownLatch secondLeads = new CountDownLatch(1);
            LeaderElection.Candidacy one =
                    first.leaderElection("example.leader").campaign(hold -> lead(firstLeads));
            firstLeads.await();
            System.out.println("the first one leads");
            LeaderElection.Candidacy two =
                    second.leaderElection("example.leader").campaign(hold -> lead(secondLeads));
            one.close();
            secondLeads.await();
            System.out.println("the second one leads");
            two.close();
        }
    }

    /** Leads until it is interrupted: leadership was lost, or the candidate resigned. */
    private static void lead(CountDownLatch leading) throws InterruptedException {
        leading.countDown();
        new CountDownLatch(1).await();
    }
}
