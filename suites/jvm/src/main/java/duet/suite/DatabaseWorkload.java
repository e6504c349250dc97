package duet.suite;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/** Transfers between a bank's accounts, and reports, in a database in memory. */
final class DatabaseWorkload implements Workload {
    private static final int ACCOUNTS = 2000;
    private static final int BRANCHES = 40;

    private final String url;
    private final int transfers;
    private Connection connection;

    private DatabaseWorkload(String url, int transfers) {
        this.url = url;
        this.transfers = transfers;
    }

    static Workload h2() {
        return new DatabaseWorkload("jdbc:h2:mem:bank", 4000);
    }

    static Workload hsqldb() {
        return new DatabaseWorkload("jdbc:hsqldb:mem:bank", 4000);
    }

    @Override
    public void setUp() throws SQLException {
        connection = DriverManager.getConnection(url, "sa", "");
        connection.setAutoCommit(false);
        try (Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE account (id INT PRIMARY KEY, branch INT, "
                    + "owner VARCHAR(40), balance BIGINT)");
            statement.execute("CREATE INDEX account_branch ON account (branch)");
            statement.execute("CREATE TABLE transfer (id INT PRIMARY KEY, source INT, "
                    + "target INT, amount BIGINT)");
            statement.execute("CREATE INDEX transfer_source ON transfer (source)");
        }
    }

    /** Every iteration begins with the same tables. */
    @Override
    public void prepare() throws SQLException {
        Inputs inputs = new Inputs("accounts");
        try (Statement statement = connection.createStatement()) {
            statement.execute("DELETE FROM transfer");
            statement.execute("DELETE FROM account");
        }
        try (PreparedStatement insert = connection.prepareStatement(
                "INSERT INTO account VALUES (?, ?, ?, ?)")) {
            for (int id = 0; id < ACCOUNTS; id++) {
                insert.setInt(1, id);
                insert.setInt(2, inputs.below(BRANCHES));
                insert.setString(3, inputs.word());
                insert.setLong(4, 1000 + inputs.below(100000));
                insert.addBatch();
            }
            insert.executeBatch();
        }
        connection.commit();
    }

    @Override
    public long iterate() throws SQLException {
        Inputs inputs = new Inputs("transfers");
        try (PreparedStatement read = connection.prepareStatement(
                     "SELECT balance FROM account WHERE id = ?");
             PreparedStatement add = connection.prepareStatement(
                     "UPDATE account SET balance = balance + ? WHERE id = ?");
             PreparedStatement note = connection.prepareStatement(
                     "INSERT INTO transfer VALUES (?, ?, ?, ?)")) {
            for (int id = 0; id < transfers; id++) {
                int source = inputs.below(ACCOUNTS);
                int target = inputs.below(ACCOUNTS);
                long amount = 1 + inputs.below(5000);
                add.setLong(1, -amount);
                add.setInt(2, source);
                add.executeUpdate();
                add.setLong(1, amount);
                add.setInt(2, target);
                add.executeUpdate();
                note.setInt(1, id);
                note.setInt(2, source);
                note.setInt(3, target);
                note.setLong(4, amount);
                note.executeUpdate();
                read.setInt(1, source);
                if (single(read) < 0) {
                    connection.rollback();
                } else {
                    connection.commit();
                }
            }
        }
        return report();
    }

    private static long single(PreparedStatement query) throws SQLException {
        try (ResultSet rows = query.executeQuery()) {
            rows.next();
            return rows.getLong(1);
        }
    }

    private long report() throws SQLException {
        long sum = 0;
        try (Statement statement = connection.createStatement();
             ResultSet rows = statement.executeQuery(
                     "SELECT a.branch, COUNT(*), SUM(t.amount), MAX(a.balance) "
                     + "FROM account a JOIN transfer t ON t.source = a.id "
                     + "GROUP BY a.branch ORDER BY a.branch")) {
            while (rows.next()) {
                sum = sum * 31 + rows.getInt(1) + rows.getLong(2) * rows.getLong(3)
                        + rows.getLong(4);
            }
        }
        return sum;
    }

    @Override
    public long expected() {
        return -4093046207629818502L;
    }
}
